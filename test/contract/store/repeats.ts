/** Contract: if a later attempt says exactly what an earlier one said, the earlier message is returned. */
import { describe, expect } from "bun:test";
import type { Behaviour } from "./bench.ts";
import { delaysMs, draft } from "./team.ts";

export function repeats(it: Behaviour): void {
  describe("appendFrom: repeats", () => {
    const hello = draft("alice", "@bob hello", { mentions: ["bob"] });

    it("returns an earlier attempt's message, once per attempt", async ({ store, team, clock }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      const first = await review.claim("alice");
      const original = await store.appendFrom(first, hello);
      expect(original.repeated).toBe(false);
      await review.fail(first);
      for (const [attempt, delay] of [delaysMs[0]!, delaysMs[1]!].entries()) {
        clock.advance(delay);
        const retry = await review.claim("alice");
        const again = await store.appendFrom(retry, hello);
        expect(again).toMatchObject({ repeated: true, message: { id: original.message.id } });
        if (attempt === 0) await review.fail(retry);
        else expect(await store.appendFrom(retry, hello)).toMatchObject({ repeated: false });
      }
      expect(await review.deliveries({ agent: "bob" })).toHaveLength(2);
    });

    it("treats the same text sent twice in one attempt as two messages", async ({ store, team }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      const claim = await review.claim("alice");
      const first = await store.appendFrom(claim, hello);
      const second = await store.appendFrom(claim, hello);
      expect(second.repeated).toBe(false);
      expect(second.message.id).not.toBe(first.message.id);
    });

    it("returns both to an attempt that repeats both", async ({ store, team, clock }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      const claim = await review.claim("alice");
      const sent = [await store.appendFrom(claim, hello), await store.appendFrom(claim, hello)];
      await review.fail(claim);
      clock.advance(delaysMs[0]!);
      const retry = await review.claim("alice");
      const again = [await store.appendFrom(retry, hello), await store.appendFrom(retry, hello)];
      expect(again.map(({ message }) => message.id).sort()).toEqual(sent.map(({ message }) => message.id).sort());
      expect((await store.appendFrom(retry, hello)).repeated).toBe(false);
    });

    it("treats other text, other recipients or another turn as a new message", async ({ store, team, clock }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      const claim = await review.claim("alice");
      await store.appendFrom(claim, hello);
      await review.fail(claim);
      clock.advance(delaysMs[0]!);
      const retry = await review.claim("alice");
      const differing = [
        { ...hello, content: "@bob hello!" },
        { ...hello, to: ["carol"] },
        { ...hello, private: true, mentions: [], to: ["bob"] },
      ];
      for (const other of differing) expect((await store.appendFrom(retry, other)).repeated).toBe(false);
      await review.succeed(retry);
      await review.say("two", ["alice"]);
      expect((await store.appendFrom(await review.claim("alice"), hello)).repeated).toBe(false);
    });

    it("returns to each part what the batch had sent", async ({ store, team, clock }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      await review.say("two", ["alice"]);
      const batch = await review.claim("alice");
      const original = await store.appendFrom(batch, hello);
      await review.fail(batch);
      clock.advance(delaysMs[0]!);
      for (let parts = 0; parts < 2; parts++) {
        const part = await review.claim("alice");
        expect(await store.appendFrom(part, hello)).toMatchObject({
          repeated: true,
          message: { id: original.message.id },
        });
        await review.succeed(part);
      }
      expect(await review.deliveries({ agent: "bob" })).toHaveLength(1);
    });
  });
}
