/** Contract: resources are identified by their content, stored once, read in ranges; long messages have one. */
import { describe, expect } from "bun:test";
import { createHash } from "node:crypto";
import { longMessageChars } from "../../../src/protocol/limits.ts";
import { type Behaviour, codeOf } from "./bench.ts";
import { draft, type Team } from "./team.ts";

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");
const all = { offset: 0, limit: 1_000_000 };

async function working(team: Team) {
  await team.say("one", ["alice"]);
  return team.claim("alice");
}

export function resources(it: Behaviour): void {
  describe("resources", () => {
    it("stores content exactly, by hash, with its type", async ({ store, team }) => {
      const review = await team();
      const content = "line\r\n\0 ünï 🚀";
      const kept = await store.createResource(await working(review), { content, type: "text/markdown" });
      expect(kept).toEqual({ id: hashOf(content), type: "text/markdown", size: content.length });
      expect(await store.resource(review.id, kept.id, all)).toEqual({ ...kept, content, offset: 0, next: null });
    });

    it("stores the same content once, with its first type", async ({ store, team }) => {
      const claim = await working(await team());
      const first = await store.createResource(claim, { content: "same", type: "text/csv" });
      expect(await store.createResource(claim, { content: "same", type: "text/plain" })).toEqual(first);
    });

    it("reads in ranges that split no character, to the end", async ({ store, team }) => {
      const review = await team();
      const content = "ab🚀cd";
      const { id } = await store.createResource(await working(review), { content, type: "text/plain" });
      const parts: string[] = [];
      for (let offset: number | null = 0; offset !== null;) {
        const part = await store.resource(review.id, id, { offset, limit: 1 });
        parts.push(part?.content ?? "");
        offset = part?.next ?? null;
      }
      expect(parts).toEqual(["a", "b", "🚀", "c", "d"]);
      expect(await store.resource(review.id, id, { offset: 100, limit: 5 })).toMatchObject({ content: "", next: null });
    });

    it("returns only its own to an instance, and any to a client", async ({ store, team }) => {
      const review = await team();
      const other = await team(["alice"], { name: "other" });
      const { id } = await store.createResource(await working(review), { content: "ours", type: "text/plain" });
      expect(await store.resource(other.id, id, all)).toBeNull();
      expect(await store.resource(null, id, all)).toMatchObject({ content: "ours" });
      expect(await store.resource(null, hashOf("unknown"), all)).toBeNull();
    });

    it("are removed with their instance", async ({ store, team }) => {
      const review = await team();
      const { id } = await store.createResource(await working(review), { content: "ours", type: "text/plain" });
      await store.endRun(review.id, { status: "stopped", exitCode: 0, reason: null });
      await store.removeInstance(review.id);
      expect(await store.resource(null, id, all)).toBeNull();
    });

    it("reject half a character", async ({ store, team }) => {
      const claim = await working(await team());
      expect(await codeOf(store.createResource(claim, { content: "\uD83D", type: "text/plain" }))).toBe("usage");
    });
  });

  describe("a long message", () => {
    it("is stored with a resource of the full text", async ({ store, team }) => {
      const review = await team();
      const content = "x".repeat(longMessageChars + 1);
      const { message } = await review.say(content, ["alice"]);
      expect(message).toMatchObject({ content, resource: hashOf(content) });
      expect((await store.message(message.id))?.message).toEqual(message);
      expect(await store.resource(review.id, hashOf(content), all)).toMatchObject({ content });
    });

    it("starts above the limit, not at it", async ({ team }) => {
      const { message } = await (await team()).say("x".repeat(longMessageChars), ["alice"]);
      expect(message).not.toHaveProperty("resource");
    });

    it("that is an excerpt has a resource of the full text", async ({ store, team }) => {
      const review = await team();
      const claim = await working(review);
      const whole = "y".repeat(longMessageChars + 1);
      const final = { ...draft("alice", "y … y", { whole }), answers: true };
      await review.succeed(claim, whole, { final });
      const [, answer] = await store.messages(review.id, "client", { limit: 10 });
      expect(answer).toMatchObject({ content: "y … y", resource: hashOf(whole) });
      expect(await store.resource(review.id, hashOf(whole), all)).toMatchObject({ content: whole });
    });

    it("keeps its interpolated ranges", async ({ store, team }) => {
      const review = await team();
      const { message } = await review.say("see value", ["alice"], { values: [[4, 9]] });
      expect((await store.message(message.id))?.message.values).toEqual([[4, 9]]);
    });
  });
}
