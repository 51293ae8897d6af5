/** The script of an agent with the backend `mock`. */
import { z } from "zod";
import { Duration } from "./duration.ts";

/** One step of a mock's script. */
export const MockStep = z.union([
  z.strictObject({
    tool: z.strictObject({ name: z.string().min(1), args: z.record(z.string(), z.unknown()).default({}) }),
  }),
  z.strictObject({ expect: z.string() }),
  z.strictObject({ say: z.string() }),
  z.strictObject({
    fail: z.strictObject({
      kind: z.enum(["transient", "permanent", "crash", "hang", "garbage"]),
      attempts: z.int().min(1).optional(),
    }),
  }),
  z.strictObject({ wait: Duration }),
  z.strictObject({
    vote: z.union([
      z.string().min(1),
      z.strictObject({ choice: z.string().min(1), on: z.string().optional(), reason: z.string().optional() }),
    ]),
  }),
  z.strictObject({
    usage: z.strictObject({
      input: z.number().min(0).default(0),
      output: z.number().min(0).default(0),
      cost: z.number().min(0).optional(),
    }),
  }),
]);
export type MockStep = z.output<typeof MockStep>;
export const mockStepKeys = ["tool", "expect", "say", "fail", "wait", "vote", "usage"] as const;

/** The steps to do if `on`, a regular expression, matches the inbox. */
export const MockReply = z.strictObject({ on: z.string(), do: z.array(MockStep) });
export type MockReply = z.output<typeof MockReply>;

/** A list of turns, each a list of steps; or a list of replies: the first one that matches the inbox is played. */
export const MockScript = z.union([z.array(z.array(MockStep)), z.array(MockReply).min(1)]);
export type MockScript = z.output<typeof MockScript>;
