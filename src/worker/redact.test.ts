import { expect, test } from "bun:test";
import { createRedactor } from "../text/redact.ts";
import type { BackendEvent } from "./backends/backend.ts";
import { createEventRedactor, redactOutcome } from "./redact.ts";

const redactor = createRedactor(["turn-token-1"], { OPENAI_API_KEY: "plain-abcdef-123" });

const redactEvents = (...events: BackendEvent[]): BackendEvent[] => events.flatMap(createEventRedactor(redactor));
const text = (piece: string): BackendEvent => ({ type: "text-delta", text: piece });
const call: BackendEvent = { type: "tool-call", call: "1", tool: "bash", args: '{"a":"turn-token-1"}' };
const end: BackendEvent = { type: "turn-end", outcome: { status: "succeeded", text: "" } };

test("removes secrets from every field of an event", () => {
  expect(redactEvents(text("it is plain-abcdef-123!"))).toEqual([text("it is [redacted]!")]);
  expect(redactEvents(call)).toEqual([{ ...call, args: '{"a":"[redacted]"}' }]);
  const result = { type: "tool-result", call: "1", tool: "bash", ok: true, text: "turn-token-1" } as const;
  expect(redactEvents(result)).toEqual([{ ...result, text: "[redacted]" }]);
  expect(redactEvents({ type: "thread-lost", reason: "turn-token-1" })).toEqual([
    { type: "thread-lost", reason: "[redacted]" },
  ]);
});

test("does not redact names, because an id may look like a key", () => {
  const named = { type: "tool-call", call: `sk-${"a".repeat(20)}`, tool: `sk-${"b".repeat(20)}`, args: "{}" } as const;
  expect(redactEvents(named)).toEqual([named]);
});

test("shortens long text in events, but not the agent's own text", () => {
  const long = "words ".repeat(1_000);
  const result = { type: "tool-result", call: "1", tool: "bash", ok: true, text: long } as const;
  const [shortened] = redactEvents(result);
  expect(shortened).toEqual({ ...result, text: expect.stringContaining("more characters)") });
  expect(redactEvents(text(long), end)).toEqual([text(long)]);
});

test("redacts a secret that is split into two pieces", () => {
  expect(redactEvents(text("it is plain-abc"), text("def-123!"))).toEqual([text("it is "), text("[redacted]!")]);
});

test("emits held-back text before the next event and at the end", () => {
  expect(redactEvents(text("it is plain-"), call)).toMatchObject([
    text("it is "),
    text("plain-"),
    { type: "tool-call" },
  ]);
  expect(redactEvents(text("turn"), end)).toEqual([text("turn")]);
});

test("removes secrets from a final text and from a failure's message", () => {
  expect(redactOutcome({ status: "succeeded", text: "turn-token-1" }, redactor)).toMatchObject({ text: "[redacted]" });
  const failure = { kind: "permanent", message: "Incorrect API key provided: plain-abcdef-123" } as const;
  expect(redactOutcome({ status: "failed", failure }, redactor)).toMatchObject({
    failure: { message: "Incorrect API key provided: [redacted]" },
  });
});

test("a conversation loses known secrets and keeps text that only looks like a key", () => {
  const looks = `sk-${"a".repeat(20)}`;
  const conversation = JSON.stringify(["turn-token-1", looks]);
  expect(redactOutcome({ status: "succeeded", text: "", conversation }, redactor)).toMatchObject({
    conversation: JSON.stringify(["[redacted]", looks]),
  });
});
