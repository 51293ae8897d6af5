import { expect, test } from "bun:test";
import { sampleAgent } from "../../../test/fixtures/agent.ts";
import { sampleMessage } from "../../../test/fixtures/message.ts";
import type { Delivery } from "../../protocol/delivery.ts";
import type { AgentInfo } from "../../protocol/instance.ts";
import { plain } from "./style.ts";
import { renderAgents, renderDeliveries } from "./listing.ts";
import { formatMoment } from "./time.ts";

const now = 100_000;
const stream = { style: plain, width: 200, terminal: false };
const message = sampleMessage({
  seq: 4,
  recipients: ["coder"],
  content: "please look\x1b[2J",
  createdAt: now - 5_000,
});

test("work held by a usage limit is shown with the time it resumes", () => {
  const until = now + 3_600_000;
  const held: Delivery = {
    agent: "coder",
    message,
    state: "pending",
    attempts: 1,
    notBefore: until,
    acked: false,
    reason: "that was all",
    parkReason: null,
    turn: null,
    updatedAt: now,
  };
  expect(renderDeliveries([held], stream, now)).toContain(`held until ${formatMoment(until)}`);
  expect(renderDeliveries([{ ...held, notBefore: now - 1 }], stream, now)).toStartWith("waiting");
});

test("an agent held by a usage limit is shown with the time it resumes, unless it works on something else", () => {
  const held = { until: now + 3_600_000, reason: "that was all" };
  const agent = sampleAgent({ held, inbox: { pending: 1, claimed: 0, dead: 0, parked: 0 } });
  const shown = (more: Partial<AgentInfo>) => renderAgents([{ ...agent, ...more }], stream);
  expect(shown({})).toContain(`held until ${formatMoment(held.until)}`);
  expect(shown({ state: "running" })).toContain("running");
  expect(shown({ held: null })).toContain("idle");
});
