/** Routes of an instance's whole history: export it page by page, or clear it. */
import { z } from "zod";
import { DocumentInfo } from "../document.ts";
import { WorkflowInfo } from "../instance.ts";
import { pageSize } from "../limits.ts";
import { Message } from "../message.ts";
import { Proposal } from "../proposal.ts";
import { OriginBody } from "./origin.ts";
import { route, wholeNumber } from "./route.ts";

/** `GET /workflows/:target/export`: a page of the channel, with the instance's state, documents and proposals. */
export const Transcript = z.object({
  workflow: WorkflowInfo,
  /** All documents, on the first page only. */
  documents: z.array(DocumentInfo),
  /** Why the documents' folder cannot be read; `documents` is then the last known list. Null if it can. */
  trouble: z.string().nullable(),
  /** The proposals whose messages are on this page, in order. */
  proposals: z.array(Proposal),
  messages: z.array(Message),
  /** The next page starts after this `seq`; null on the last page. */
  next: z.number().int().nullable(),
});
export type Transcript = z.infer<typeof Transcript>;

/** `POST /workflows/:target/clear`. */
export const ClearRequest = OriginBody;
export const ClearResponse = z.object({
  /** How many messages were removed. */
  messages: z.number().int(),
  workflow: WorkflowInfo,
});
export type ClearResponse = z.infer<typeof ClearResponse>;

export const historyRoutes = {
  "GET /workflows/:target/export": route({
    summary:
      "Exports an instance for archiving, page by page: its state, documents, and all messages and proposals, oldest first.",
    query: z.object({
      after: wholeNumber
        .min(0)
        .default(0)
        .describe("Only messages with a greater `seq`: the `next` of the previous page."),
      limit: wholeNumber
        .min(1)
        .max(pageSize)
        .default(pageSize)
        .describe("Maximum number of messages. Default and maximum: 500."),
    }),
    response: { Transcript },
  }),
  "POST /workflows/:target/clear": route({
    summary:
      "Clears the history of an instance that is not running: all messages, documents and events. Its agents and schedules are kept.",
    body: { ClearRequest },
    response: { ClearResponse },
  }),
};
