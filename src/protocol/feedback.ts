/** Feedback: what agents and people say about the tools, prompts and team that they work with. */
import { z } from "zod";

export const feedbackKinds = ["bug", "idea", "praise", "other"] as const;

export const NewFeedback = z.object({
  kind: z.enum(feedbackKinds).describe("The kind of feedback."),
  target: z.string().trim().min(1).max(200).describe("What it is about: a tool, an agent, a document, the workflow."),
  text: z.string().trim().min(1).max(10_000).describe("What you noticed, and what would be better."),
});
export type NewFeedback = z.output<typeof NewFeedback>;

export const Feedback = NewFeedback.extend({
  id: z.string(),
  /** The target of the agent that submitted it; `user` for a person. */
  author: z.string(),
  /** The folder of that agent's workflow; empty for a person. */
  project: z.string(),
  turn: z.string().nullable(),
  createdAt: z.number(),
});
export type Feedback = z.infer<typeof Feedback>;
