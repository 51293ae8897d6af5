/** Routes of feedback: list it, and submit it as a person. Agents submit theirs through MCP. */
import { z } from "zod";
import { Feedback, NewFeedback } from "../feedback.ts";
import { pageSize } from "../limits.ts";
import { route, wholeNumber } from "./route.ts";

/** `POST /feedback`. */
export const FeedbackRequest = NewFeedback.strict();

/** `GET /feedback`: newest first. */
export const FeedbackList = z.object({ feedback: z.array(Feedback) });
export type FeedbackList = z.infer<typeof FeedbackList>;

export const feedbackRoutes = {
  "GET /feedback": route({
    summary: "Lists the feedback of agents and people, newest first.",
    query: z.object({
      limit: wholeNumber.min(1).max(pageSize).default(100).describe("Maximum number. Default: 100, at most 500."),
    }),
    response: { FeedbackList },
  }),
  "POST /feedback": route({
    summary: "Submits a person's feedback.",
    body: { FeedbackRequest },
    response: { Feedback },
    status: 201,
  }),
};
