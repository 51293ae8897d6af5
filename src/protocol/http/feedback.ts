/** Feedback: given by people, by agents through MCP, and listed. */
import { z } from "zod";
import { Feedback, NewFeedback } from "../feedback.ts";
import { pageSize } from "../limits.ts";
import { route, wholeNumber } from "./route.ts";

/** `POST /feedback`. */
export const FeedbackRequest = NewFeedback.strict();

/** `GET /feedback`: the newest first. */
export const FeedbackList = z.object({ feedback: z.array(Feedback) });
export type FeedbackList = z.infer<typeof FeedbackList>;

export const feedbackRoutes = {
  "GET /feedback": route({
    summary: "What agents and people had to say about their work, the newest first.",
    query: z.object({
      limit: wholeNumber.min(1).max(pageSize).default(100).describe("At most so many: 100 unless given, up to 500."),
    }),
    answer: { FeedbackList },
  }),
  "POST /feedback": route({
    summary: "A person's feedback.",
    body: { FeedbackRequest },
    answer: { Feedback },
    status: 201,
  }),
};
