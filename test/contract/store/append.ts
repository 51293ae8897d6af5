/** Contract: writing a message, its recipients, and who can read it. */
import { describe, expect } from "bun:test";
import { type Behaviour, codeOf } from "./bench.ts";
import { draft, ids } from "./team.ts";

export function append(it: Behaviour): void {
  describe("append: order", () => {
    it("numbers messages 1, 2, 3 in each instance", async ({ team }) => {
      const one = await team(["alice"], { name: "one" });
      const two = await team(["alice"], { name: "two" });
      const seqs = [];
      for (const review of [one, two, one, two, one]) seqs.push((await review.say("x", [])).message.seq);
      expect(seqs).toEqual([1, 1, 2, 2, 3]);
    });

    it("leaves no gap and repeats no number under concurrent appends", async ({ store, team }) => {
      const review = await team();
      const sent = Array.from({ length: 100 }, (_, index) => review.say(`message ${index}`, ["alice"]));
      const seqs = (await Promise.all(sent)).map(({ message }) => message.seq);
      const expected = Array.from({ length: 100 }, (_, index) => index + 1);
      expect(seqs.toSorted((a, b) => a - b)).toEqual(expected);
      const channel = await store.messages(review.id, "client", { limit: 500 });
      expect(channel.map(({ seq }) => seq)).toEqual(expected);
    });

    it("uses no number for a rejected message", async ({ store, team }) => {
      const review = await team(["alice"]);
      await review.say("one", ["alice"]);
      const claim = await review.claim("alice");
      await review.succeed(claim);
      const refused = codeOf(store.appendFrom(claim, draft("alice", "late")));
      const [, second] = await Promise.all([refused, review.say("two", [])]);
      expect(await refused).toBe("fenced");
      expect(second.message.seq).toBe(2);
    });

    it("rejects a reply to a message of another channel", async ({ store, team }) => {
      const review = await team();
      expect(await codeOf(review.say("one", ["alice"], { inReplyTo: "m-none" }))).toBe("not-found");
      expect(await store.messages(review.id, "client", { limit: 10 })).toEqual([]);
    });

    it("gives each message an id, its run, its time and its event", async ({ store, team, clock }) => {
      const review = await team();
      const question = await review.say("zero", []);
      clock.advance(5);
      const inReplyTo = question.message.id;
      const first = await review.say("one", ["alice"], { inReplyTo });
      const second = await review.say("two", []);
      expect(first.message.id).not.toBe(second.message.id);
      expect(first.message).toMatchObject({
        sender: "user",
        content: "one",
        kind: "message",
        run: 1,
        inReplyTo,
        hop: 0,
        turn: null,
        createdAt: clock.now(),
      });
      const [event] = await store.events({ instance: review.id, after: first.cursor - 1, limit: 1 });
      expect(event).toMatchObject({ type: "message", seq: first.cursor, message: first.message.id });
      expect(await store.message(first.message.id)).toEqual({ message: first.message, instance: review.id });
      expect(await store.message("nothing")).toBeNull();
    });

    it("refuses an instance that does not exist", async ({ store }) => {
      expect(await codeOf(store.append("nothing", draft("user", "hello")))).toBe("not-found");
    });
  });

  describe("append: recipients", () => {
    it("finds agents ignoring case, and uses the agent's own spelling", async ({ team }) => {
      const review = await team(["Alice", "bob"]);
      const sent = await review.say("hello", ["ALICE", "BoB"]);
      expect(sent.message.recipients.toSorted()).toEqual(["Alice", "bob"]);
      expect(sent.wake.toSorted()).toEqual(["Alice", "bob"]);
      expect((await review.deliveries()).map(({ agent }) => agent).sort()).toEqual(["Alice", "bob"]);
      expect(await review.claim("Alice")).toMatchObject({ agent: "Alice" });
    });

    it("expands @all to every agent except the sender", async ({ team }) => {
      const review = await team();
      const sent = await review.tell("bob", "@all look", [], { all: true });
      expect(sent.message.recipients.toSorted()).toEqual(["alice", "carol"]);
      expect(await review.deliveries({ message: sent.message.id })).toHaveLength(2);
      const asked = await review.say("@all look", [], { all: true });
      expect(asked.message.recipients.toSorted()).toEqual(["alice", "bob", "carol"]);
    });

    it("ignores a self-mention", async ({ team }) => {
      const review = await team();
      const sent = await review.tell("alice", "I, @Alice", ["Alice"], { to: ["alice"] });
      expect(sent).toMatchObject({ message: { recipients: [] }, wake: [], unknown: [] });
    });

    it("reports an unknown name with the nearest ones, and still delivers to the others", async ({ team }) => {
      const review = await team();
      const sent = await review.say("@alcie @bob", ["alcie", "bob"]);
      expect(sent.message.recipients).toEqual(["bob"]);
      expect(sent.unknown).toHaveLength(1);
      expect(sent.unknown[0]?.name).toBe("alcie");
      expect(sent.unknown[0]?.nearest[0]).toBe("alice");
    });

    it("reports an unknown name in `to`", async ({ team }) => {
      const review = await team();
      const sent = await review.say("psst", [], { to: ["alcie"] });
      expect(sent.message.recipients).toEqual([]);
      expect(sent.unknown.map(({ name }) => name)).toEqual(["alcie"]);
    });

    it("accepts user as a recipient without a delivery", async ({ store, team }) => {
      const review = await team();
      const sent = await review.tell("alice", "@user done", ["user"]);
      expect(sent).toMatchObject({ message: { recipients: ["user"] }, unknown: [], wake: [], parked: [] });
      expect(await review.deliveries()).toEqual([]);
      expect(await store.quiescent(review.id)).toBe(true);
    });

    it("delivers once to an agent that is named several times", async ({ team }) => {
      const review = await team();
      const sent = await review.say("x", ["alice", "Alice"], { to: ["ALICE"], all: true });
      expect(sent.message.recipients.toSorted()).toEqual(["alice", "bob", "carol"]);
      expect(await review.deliveries({ agent: "alice" })).toHaveLength(1);
    });

    it("delivers a person's message without recipients to the only agent", async ({ team }) => {
      const alone = await team(["alice"], { name: "alone" });
      const several = await team(["alice", "bob"], { name: "several" });
      const taken = await alone.say("hello", [], { soleAgent: true });
      expect(taken).toMatchObject({ message: { recipients: ["alice"] }, wake: ["alice"] });
      expect((await alone.say("hello", [])).message.recipients).toEqual([]);
      expect((await several.say("hello", [], { soleAgent: true })).message.recipients).toEqual([]);
      expect((await several.say("hello", ["bob"], { soleAgent: true })).message.recipients).toEqual(["bob"]);
    });

    it("wakes no agent for a message without recipients", async ({ store, team }) => {
      const review = await team();
      expect(await review.say("hello", [])).toMatchObject({ message: { recipients: [] }, wake: [], parked: [] });
      expect(await store.owed()).toEqual([]);
    });

    it("creates a delivery as pending, without attempts", async ({ team, clock }) => {
      const review = await team();
      const sent = await review.say("hello", ["alice"]);
      expect(await review.delivery(sent, "alice")).toEqual({
        agent: "alice",
        message: sent.message,
        state: "pending",
        attempts: 0,
        notBefore: null,
        acked: false,
        reason: null,
        parkReason: null,
        turn: null,
        updatedAt: clock.now(),
      });
    });
  });

  describe("append: priority", () => {
    it("is normal for one recipient, high for several or for urgent text", async ({ team }) => {
      const review = await team();
      expect((await review.say("x", ["alice"])).message.priority).toBe("normal");
      expect((await review.say("x", ["alice", "bob"])).message.priority).toBe("high");
      expect((await review.say("x", [], { all: true })).message.priority).toBe("high");
      expect((await review.say("x", ["alice"], { urgent: true })).message.priority).toBe("high");
    });
  });

  describe("append: once", () => {
    it("acts once per idempotency key, even for concurrent requests", async ({ store, team }) => {
      const review = await team();
      const send = (): ReturnType<typeof review.say> => review.say("hello", ["alice"], { idempotencyKey: "key-1" });
      const [first, second] = await Promise.all([send(), send()]);
      const third = await send();
      expect(second.message).toEqual(first.message);
      expect(third.message).toEqual(first.message);
      expect(third.cursor).toBe(first.cursor);
      expect(await store.messages(review.id, "client", { limit: 10 })).toHaveLength(1);
      expect(await review.deliveries()).toHaveLength(1);
      expect(await review.eventsOfType("message")).toHaveLength(1);
      const other = await review.say("hello", ["alice"], { idempotencyKey: "key-2" });
      expect(other.message.id).not.toBe(first.message.id);
    });
  });

  describe("append: parked", () => {
    it("parks deliveries to a stopped agent, and only those", async ({ store, team }) => {
      const review = await team();
      await store.setStopped(review.id, "alice", true);
      const sent = await review.say("hello", ["alice", "bob"]);
      expect(sent).toMatchObject({ wake: ["bob"], parked: ["alice"] });
      expect(await review.delivery(sent, "alice")).toMatchObject({ state: "parked", parkReason: "stopped" });
      expect(await review.state(sent, "bob")).toBe("pending");
      expect(await review.eventsOfType("work-parked")).toMatchObject([
        { agent: "alice", message: sent.message.id, data: { kind: "stopped" } },
      ]);
    });

    it("parks deliveries in a workflow that is not running", async ({ store, team }) => {
      const review = await team(["alice", "bob"]);
      await store.closeRun(review.id);
      const sent = await review.say("hello", ["alice"]);
      expect(sent).toMatchObject({ wake: [], parked: ["alice"] });
      expect(await review.delivery(sent, "alice")).toMatchObject({ state: "parked", parkReason: "not-running" });
      expect(await store.owed()).toEqual([]);
    });
  });

  describe("messages", () => {
    it("shows private messages only to the sender, the recipients and people", async ({ store, team }) => {
      const review = await team();
      const secret = await review.tell("alice", "between us", [], { to: ["bob"], private: true });
      await review.say("for all to see", []);
      expect(secret.message).toMatchObject({ private: true, recipients: ["bob"] });
      const seen = async (viewer: Parameters<typeof store.messages>[1]): Promise<string[]> =>
        (await store.messages(review.id, viewer, { limit: 10 })).map(({ content }) => content);
      expect(await seen("client")).toEqual(["between us", "for all to see"]);
      expect(await seen({ agent: "alice" })).toEqual(["between us", "for all to see"]);
      expect(await seen({ agent: "bob" })).toEqual(["between us", "for all to see"]);
      expect(await seen({ agent: "carol" })).toEqual(["for all to see"]);
    });

    it("fills a page with messages that the viewer can see", async ({ store, team }) => {
      const review = await team();
      for (let i = 0; i < 5; i++) await review.tell("alice", `secret ${i}`, [], { to: ["bob"], private: true });
      for (let i = 0; i < 3; i++) await review.say(`open ${i}`, []);
      const page = await store.messages(review.id, { agent: "carol" }, { limit: 2 });
      expect(page.map(({ content }) => content)).toEqual(["open 0", "open 1"]);
    });

    it("gives pages in seq order, from the beginning, after a seq, or the newest", async ({ store, team }) => {
      const review = await team();
      for (let i = 1; i <= 5; i++) await review.say(`message ${i}`, []);
      const page = async (which: Parameters<typeof store.messages>[2]): Promise<number[]> =>
        (await store.messages(review.id, "client", which)).map(({ seq }) => seq);
      expect(await page({ limit: 2 })).toEqual([1, 2]);
      expect(await page({ limit: 2, after: 2 })).toEqual([3, 4]);
      expect(await page({ limit: 2, newest: true })).toEqual([4, 5]);
      expect(await page({ limit: 10, after: 3, newest: true })).toEqual([4, 5]);
      expect(await page({ limit: 10, after: 5 })).toEqual([]);
    });
  });

  describe("text", () => {
    const texts = {
      emoji: "👩‍👩‍👧‍👦 🇫🇷 🏴󠁧󠁢󠁳󠁣󠁴󠁿",
      "line ends": "one\r\ntwo\rthree\nfour\u2028five\u2029",
      "NUL and control characters": "a\u0000b\u0001\u001b[31m\u007f\ufeff",
      "what looks like SQL or JSON": `'; DROP TABLE messages; -- "\\" {"a":1} %s \${{ x }}`,
      "text that must not be normalised": "e\u0301 \u00e9 \uFB01 ﷺ  trailing  ",
      emptiness: "",
    };
    for (const [name, text] of Object.entries(texts)) {
      it(`is kept exactly: ${name}`, async ({ store, team }) => {
        const review = await team();
        const sent = await review.say(text, ["alice"]);
        expect((await store.message(sent.message.id))?.message.content).toBe(text);
        expect((await review.eventsOfType("message"))[0]?.data.content).toBe(text);
        const claim = await review.claim("alice");
        expect(claim.deliveries[0]?.message.content).toBe(text);
        await review.succeed(claim, text);
        expect((await store.turn(claim.turn))?.turn.text).toBe(text);
      });
    }

    it("with lone surrogates is kept exactly or rejected, never changed silently", async ({ store, team }) => {
      const review = await team();
      const text = "half \ud83d of \udc4d a pair";
      const code = await codeOf(review.say(text, ["alice"]));
      const channel = await store.messages(review.id, "client", { limit: 10 });
      expect(channel.map(({ content }) => content)).toEqual(code === "none" ? [text] : []);
      expect(ids(await review.deliveries())).toEqual(channel.map(({ id }) => id));
    });

    it("of 256 KiB is kept whole", async ({ store, team }) => {
      const review = await team();
      const text = "ü".repeat(128 * 1024);
      const sent = await review.say(text, []);
      expect((await store.message(sent.message.id))?.message.content === text).toBe(true);
    });
  });
}
