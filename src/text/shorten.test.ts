import { describe, expect, test } from "bun:test";
import { sampleMessage } from "../../test/fixtures/message.ts";
import type { Message } from "../protocol/message.ts";
import { longMessageChars } from "../protocol/limits.ts";
import { headAndTail, shortenMessage } from "./shorten.ts";

function message(content: string, more: Partial<Message> = {}): Message {
  return sampleMessage({ content, ...more });
}

const resource = "f".repeat(64);
const long = `begin ${"x".repeat(100_000)} end`;

describe("a message as agents are shown it", () => {
  test("is whole up to the limit", () => {
    const content = "x".repeat(longMessageChars);
    expect(shortenMessage(message(content))).toBe(content);
  });

  test("is head, tail and the resource past it", () => {
    const shown = shortenMessage(message(long, { resource }));
    expect(shown).toStartWith("begin xxx");
    expect(shown).toEndWith("xxx end");
    expect(shown).toContain(`resource_read ${resource}`);
    expect(shown.length).toBeLessThan(longMessageChars + 200);
  });

  test("keeps the author's words and shortens the values between them", () => {
    const before = "Look at this: ";
    const content = `${before}${long}\nand at that: ${long}\n@bob please. ${"w".repeat(500)}`;
    const second = content.lastIndexOf("begin");
    const values: Message["values"] = [
      [before.length, before.length + long.length],
      [second, second + long.length],
    ];
    const shown = shortenMessage(message(content, { resource, values }));
    expect(shown).toStartWith("Look at this: begin xxx");
    expect(shown).toContain("xxx end\nand at that: begin xxx");
    expect(shown).toEndWith(`xxx end\n@bob please. ${"w".repeat(500)}`);
    expect(shown.split(resource)).toHaveLength(3);
    expect(shown.length).toBeLessThan(longMessageChars + 400);
  });

  test("never loses an author's words, however many they are", () => {
    const words = "word ".repeat(2_000);
    expect(shortenMessage(message(`${words}val`, { resource, values: [[words.length, words.length + 3]] }))).toBe(
      `${words}val`,
    );
  });
});

test("no character is cut in two, wherever the cut falls", () => {
  const text = "🚀".repeat(100);
  for (let most = 3; most < 60; most++) expect(headAndTail(text, most, () => "…").isWellFormed()).toBe(true);
});
