import { expect, test } from "bun:test";
import type { ModelMessage } from "ai";
import { keepConversation, readConversation } from "./conversation.ts";

const turn = (text: string): ModelMessage[] => [
  { role: "user", content: text },
  { role: "assistant", content: `${text}, done` },
];

test("reads back exactly what was kept", () => {
  const messages = [...turn("one"), ...turn("two")];
  expect(readConversation(keepConversation(messages))).toEqual(messages);
});

test("is empty before the first turn", () => {
  expect(readConversation(undefined)).toEqual([]);
});

test("drops whole turns, oldest first, when it gets too long", () => {
  const long = "x".repeat(90_000);
  const kept = readConversation(keepConversation([...turn(long), ...turn(long), ...turn(long), ...turn("last")]));
  expect(kept.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  expect(kept.slice(-2)).toEqual(turn("last"));
});

test("keeps nothing of a single turn that is too long", () => {
  expect(readConversation(keepConversation(turn("x".repeat(300_000))))).toEqual([]);
});
