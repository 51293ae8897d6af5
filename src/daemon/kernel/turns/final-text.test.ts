import { expect, test } from "bun:test";
import { sampleMessage } from "../../../../test/fixtures/message.ts";
import type { Delivery } from "../../../protocol/delivery.ts";
import { messageBytes } from "../../../protocol/limits.ts";
import { finalDraft } from "./final-text.ts";

function delivery(sender: string, more: Partial<Delivery["message"]> = {}): Delivery {
  return {
    agent: "alice",
    state: "claimed",
    attempts: 0,
    notBefore: null,
    acked: false,
    reason: null,
    parkReason: null,
    turn: "t1",
    updatedAt: 0,
    message: sampleMessage({ sender, recipients: ["alice"], content: "please", ...more }),
  };
}

test("answers the latest question of a person", () => {
  const draft = finalDraft("alice", "Done.", [
    delivery("user"),
    delivery("bob", { id: "m2" }),
    delivery("user", { id: "m3" }),
  ]);
  expect(draft).toMatchObject({ content: "Done.", answers: true, inReplyTo: "m3" });
});

test("answers no one if only agents asked", () => {
  expect(finalDraft("alice", "Done.", [delivery("bob")])).toMatchObject({ answers: false });
});

test("an answer to a private message is private", () => {
  expect(finalDraft("alice", "Done.", [delivery("user", { private: true })])?.private).toBe(true);
});

test("is private after any private message", () => {
  const draft = finalDraft("alice", "The password is stored.", [delivery("user"), delivery("bob", { private: true })]);
  expect(draft).toMatchObject({ private: true, answers: true });
});

test("is never rejected for the number of names in it", () => {
  const names = Array.from({ length: 3_000 }, (_, index) => `@a${index}`).join(" ");
  expect(finalDraft("alice", names, [])?.mentions).toHaveLength(1_000);
});

test("goes to the agents it mentions", () => {
  expect(finalDraft("alice", "@bob go on", [delivery("carol")])?.mentions).toEqual(["bob"]);
});

test("a blank text is ignored", () => {
  expect(finalDraft("alice", " \n ", [delivery("user")])).toBeUndefined();
});

test("a text that is too long for a message is shortened to beginning and end", () => {
  const draft = finalDraft("alice", `begin ${"x".repeat(messageBytes)} end`, [delivery("user")]);
  expect(draft?.content).toStartWith("begin ");
  expect(draft?.content).toEndWith(" end");
  expect(draft?.content).toContain("characters omitted");
  expect(draft?.content.length).toBeLessThan(messageBytes);
  expect(draft?.content).toContain("the resource ");
  expect(draft?.whole).toStartWith("begin ");
});
