import { expect, test } from "bun:test";
import { sampleMessage } from "../../test/fixtures/message.ts";
import type { Delivery } from "../protocol/delivery.ts";
import { plain } from "./style.ts";
import { renderDeliveries } from "./listing.ts";
import { formatMoment } from "./time.ts";

const now = 100_000;
const message = sampleMessage({
  seq: 4,
  recipients: ["coder"],
  content: "please look\x1b[2J",
  createdAt: now - 5_000,
});

test("what a usage limit holds is shown with the moment that it goes on", () => {
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
  const stream = { style: plain, width: 200, terminal: false };
  expect(renderDeliveries([held], stream, now)).toContain(`held until ${formatMoment(until)}`);
  expect(renderDeliveries([{ ...held, notBefore: now - 1 }], stream, now)).toStartWith("waiting");
});
