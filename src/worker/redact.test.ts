import { expect, test } from "bun:test";
import { createRedactor } from "./redact.ts";

const redactor = createRedactor(["turn-token-1", undefined], {
  OPENAI_API_KEY: "sk-abcdef-123",
  LONGER_SECRET: "sk-abcdef-123456",
  SHORT_KEY: "abc",
  PLAIN_KEY: "no secret",
  PATH: "/usr/local/bin",
});

test("secrets are taken out of events, whatever they stand in", () => {
  expect(redactor.event({ type: "text-delta", text: "it is sk-abcdef-123!" })).toEqual({
    type: "text-delta",
    text: "it is [redacted]!",
  });
  expect(redactor.event({ type: "tool-call", call: "1", tool: "bash", args: '{"a":"turn-token-1"}' })).toMatchObject({
    args: '{"a":"[redacted]"}',
  });
  const result = { type: "tool-result", call: "1", tool: "bash", ok: true, text: "sk-abcdef-123456" } as const;
  expect(redactor.event(result)).toMatchObject({ text: "[redacted]" });
});

test("and out of a final text and the reason of a failure", () => {
  expect(redactor.outcome({ status: "succeeded", text: "turn-token-1" })).toMatchObject({ text: "[redacted]" });
  const failure = { kind: "permanent", message: "Incorrect API key provided: sk-abcdef-123" } as const;
  expect(redactor.outcome({ status: "failed", failure })).toMatchObject({
    failure: { message: "Incorrect API key provided: [redacted]" },
  });
});

test("other values and short ones stay", () => {
  const text = "abc, no secret, in /usr/local/bin";
  expect(redactor.outcome({ status: "succeeded", text })).toMatchObject({ text });
});
