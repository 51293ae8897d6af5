import { expect, test } from "bun:test";
import { createRedactor } from "../text/redact.ts";
import type { BackendEvent } from "./backends/backend.ts";
import { createEventRedactor, redactOutcome } from "./redact.ts";

const redactor = createRedactor(["turn-token-1"], { OPENAI_API_KEY: "plain-abcdef-123" });

const tell = (...events: BackendEvent[]): BackendEvent[] => events.flatMap(createEventRedactor(redactor));
const text = (piece: string): BackendEvent => ({ type: "text-delta", text: piece });
const call: BackendEvent = { type: "tool-call", call: "1", tool: "bash", args: '{"a":"turn-token-1"}' };
const end: BackendEvent = { type: "turn-end", outcome: { status: "succeeded", text: "" } };

test("secrets are taken out of events, whatever they stand in", () => {
  expect(tell(text("it is plain-abcdef-123!"))).toEqual([text("it is [redacted]!")]);
  expect(tell(call)).toEqual([{ ...call, args: '{"a":"[redacted]"}' }]);
  const result = { type: "tool-result", call: "1", tool: "bash", ok: true, text: "turn-token-1" } as const;
  expect(tell(result)).toEqual([{ ...result, text: "[redacted]" }]);
  expect(tell({ type: "thread-lost", reason: "turn-token-1" })).toEqual([
    { type: "thread-lost", reason: "[redacted]" },
  ]);
});

test("names are told as they are, for an id may look like a key", () => {
  const named = { type: "tool-call", call: `sk-${"a".repeat(20)}`, tool: `sk-${"b".repeat(20)}`, args: "{}" } as const;
  expect(tell(named)).toEqual([named]);
});

test("long texts of events are shortened, and what the agent writes is not", () => {
  const long = "words ".repeat(1_000);
  const result = { type: "tool-result", call: "1", tool: "bash", ok: true, text: long } as const;
  const [shortened] = tell(result);
  expect(shortened).toEqual({ ...result, text: expect.stringContaining("more characters)") });
  expect(tell(text(long), end)).toEqual([text(long)]);
});

test("a secret that comes in two pieces does not pass", () => {
  expect(tell(text("it is plain-abc"), text("def-123!"))).toEqual([text("it is "), text("[redacted]!")]);
});

test("what was kept back is told before what comes next, and at the end", () => {
  expect(tell(text("it is plain-"), call)).toMatchObject([text("it is "), text("plain-"), { type: "tool-call" }]);
  expect(tell(text("turn"), end)).toEqual([text("turn")]);
});

test("secrets are taken out of a final text and the reason of a failure", () => {
  expect(redactOutcome({ status: "succeeded", text: "turn-token-1" }, redactor)).toMatchObject({ text: "[redacted]" });
  const failure = { kind: "permanent", message: "Incorrect API key provided: plain-abcdef-123" } as const;
  expect(redactOutcome({ status: "failed", failure }, redactor)).toMatchObject({
    failure: { message: "Incorrect API key provided: [redacted]" },
  });
});

test("a conversation loses the agent's secrets, and keeps what only looks like a key", () => {
  const looks = `sk-${"a".repeat(20)}`;
  const conversation = JSON.stringify(["turn-token-1", looks]);
  expect(redactOutcome({ status: "succeeded", text: "", conversation }, redactor)).toMatchObject({
    conversation: JSON.stringify(["[redacted]", looks]),
  });
});
