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

describe("a message as agents see it", () => {
  test("is complete up to the limit", () => {
    const content = "x".repeat(longMessageChars);
    expect(shortenMessage(message(content))).toBe(content);
  });

  test("is its head, tail and resource beyond the limit", () => {
    const shown = shortenMessage(message(long, { resource }));
    expect(shown).toStartWith("begin xxx");
    expect(shown).toEndWith("xxx end");
    expect(shown).toContain(`resource_read ${resource}`);
    expect(shown.length).toBeLessThan(longMessageChars + 200);
  });

  test("keeps the author's text and shortens the values in it", () => {
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

  test("never shortens the author's text, however long it is", () => {
    const words = "word ".repeat(2_000);
    expect(shortenMessage(message(`${words}val`, { resource, values: [[words.length, words.length + 3]] }))).toBe(
      `${words}val`,
    );
  });
});

test("never splits a character", () => {
  const text = "🚀".repeat(100);
  for (let max = 3; max < 60; max++) expect(headAndTail(text, max, () => "…").isWellFormed()).toBe(true);
});
