/** Feedback tool: an agent comments on the tools, prompts and team it works with. */
import { Feedback, NewFeedback } from "../../../protocol/feedback.ts";
import { defineTool } from "../tool.ts";

const feedbackSubmit = defineTool({
  name: "feedback_submit",
  title: "Give feedback",
  description:
    "Tell the people who run this workflow what gets in your way or what would help. It can be about a tool, an agent, a document or the workflow. This wakes no agent.",
  input: NewFeedback,
  output: Feedback.pick({ id: true, kind: true, target: true }),
  readOnly: false,
  idempotent: false,
  async run({ operations, claim }, feedback) {
    const { id, kind, target } = await operations.addFeedback(claim, feedback);
    return { text: "Noted, thank you.", result: { id, kind, target } };
  },
});

export const feedbackTools = [feedbackSubmit];
