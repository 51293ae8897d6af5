/** An instance's history as a whole: exported page by page, or cleared. */
import { z } from "zod";
import { DocumentInfo } from "../document.ts";
import { WorkflowInfo } from "../instance.ts";
import { pageSize } from "../limits.ts";
import { Message } from "../message.ts";
import { Proposal } from "../proposal.ts";
import { OriginBody } from "./origin.ts";
import { route, wholeNumber } from "./route.ts";

/** `GET /workflows/:target/export`: a page of the channel, with what else there is to tell of the instance. */
export const Transcript = z.object({
  workflow: WorkflowInfo,
  /** All of them, on the first page alone. */
  documents: z.array(DocumentInfo),
  /** Why the documents' folder cannot be read; they are then listed as they were last known. */
  trouble: z.string().nullable(),
  /** Those that the messages of this page ask, in their order. */
  proposals: z.array(Proposal),
  messages: z.array(Message),
  /** The next page begins after this `seq`; null on the last one. */
  next: z.number().int().nullable(),
});
export type Transcript = z.infer<typeof Transcript>;

/** `POST /workflows/:target/clear`. */
export const ClearRequest = OriginBody;
export const ClearAnswer = z.object({
  /** How many there were. */
  messages: z.number().int(),
  workflow: WorkflowInfo,
});
export type ClearAnswer = z.infer<typeof ClearAnswer>;

export const historyRoutes = {
  "GET /workflows/:target/export": route({
    summary:
      "The whole of an instance, for keeping: its state, its documents, and its messages and proposals from the first on, page by page.",
    query: z.object({
      after: wholeNumber
        .min(0)
        .default(0)
        .describe("Only messages whose `seq` is greater: the `next` of the page before."),
      limit: wholeNumber.min(1).max(pageSize).default(pageSize).describe("At most so many: 500 unless given."),
    }),
    answer: { Transcript },
  }),
  "POST /workflows/:target/clear": route({
    summary: "Forgets all that was said and written in an instance that does not run. Its agents and schedules stay.",
    body: { ClearRequest },
    answer: { ClearAnswer },
  }),
};
