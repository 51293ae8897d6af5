import { describe, expect, test } from "bun:test";
import { sampleMessage } from "../../../test/fixtures/message.ts";
import type { Delivery } from "../../protocol/delivery.ts";
import type { Why } from "../../protocol/http/messages.ts";
import { explainMessage, nextCommands } from "./explain-message.ts";
import { plain } from "./style.ts";
import { formatMoment } from "./time.ts";

const now = 100_000;
const message = sampleMessage({
  seq: 4,
  recipients: ["coder"],
  content: "please look\x1b[2J",
  createdAt: now - 5_000,
});

function why(delivery: Partial<Delivery>): Why {
  const full: Delivery = {
    agent: "coder",
    message,
    state: "pending",
    attempts: 0,
    notBefore: null,
    acked: false,
    reason: null,
    parkReason: null,
    turn: null,
    updatedAt: now - 3_000,
    ...delivery,
  };
  return { message, target: "@review", project: "/code", deliveries: [full], turns: [], events: [] };
}

function explain(info: Why): string {
  return explainMessage(info, { style: plain, width: 80, terminal: false }, now);
}

describe("the explanation of a message", () => {
  test("says who wrote it, to which agents, and when", () => {
    const text = explain(why({}));
    expect(text).toContain("m1 message 4 of @review");
    expect(text).toContain("user wrote it 5s ago");
    expect(text).toContain("to coder.");
    expect(text).toContain("│ please look\n");
  });

  test.each([
    [{ state: "pending" }, "○ waiting for its turn"],
    [{ state: "pending", notBefore: now + 2_000, reason: "boom" }, "↻ next attempt in 2.0s: boom"],
    [
      { state: "pending", notBefore: now + 7_200_000, parkReason: "usage-limit", reason: "429: all used up" },
      `■ held until ${formatMoment(now + 7_200_000)}, 2h 0m from now, by a usage limit: 429: all used up`,
    ],
    [{ state: "claimed" }, "▸ being handled"],
    [{ state: "done" }, "✓ done 3s ago"],
    [{ state: "dead", attempts: 3, reason: "boom" }, "✗ dead after 3 attempts 3s ago: boom"],
    [{ state: "parked", parkReason: "limit", reason: "too many turns" }, "■ parked 3s ago: too many turns"],
  ] satisfies [Partial<Delivery>, string][])("shows the state of each delivery, case %#", (delivery, expected) => {
    expect(explain(why(delivery))).toContain(`coder  ${expected}`);
  });

  test("lists what happened, in order", () => {
    const head = { at: now, workflow: "review", tag: "main", project: "/code", run: 1, agent: "coder", turn: "t1" };
    const text = explain({
      ...why({ state: "done" }),
      events: [
        { type: "delivery-claim", seq: 1, ...head, message: "m1", data: {} },
        { type: "delivery-done", seq: 2, ...head, message: "m1", data: { discarded: false } },
        { type: "delivery-done", seq: 3, ...head, agent: "other", message: "m1", data: { discarded: true } },
      ],
    });
    expect(text).toMatch(/claimed by turn t1\n.* done\n/);
    expect(text).not.toContain("discarded");
  });

  test("says so when it has no recipients", () => {
    expect(explain({ ...why({}), deliveries: [] })).toContain("It has no recipients");
  });

  test("suggests the most useful command", () => {
    expect(nextCommands(why({ state: "dead" }))[0]?.[0]).toBe("agent-worker redrive m1");
    expect(nextCommands(why({ state: "pending", parkReason: "usage-limit" }))[0]?.[0]).toBe(
      "agent-worker resume @review",
    );
    expect(nextCommands(why({ state: "claimed" }))[0]?.[0]).toBe("agent-worker attach @review");
    expect(nextCommands(why({ state: "done" }))[0]?.[0]).toBe("agent-worker peek @review");
  });
});
