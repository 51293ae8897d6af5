/** The event table as a resumable stream: of one workflow, or of all. */
import { z } from "zod";
import { route, wholeNumber } from "./route.ts";

const place = {
  query: z.object({
    after: wholeNumber.min(0).optional().describe("Only events after this one."),
    follow: z.enum(["0", "1"]).default("1").describe("`0`: end with what is stored now, instead of waiting for more."),
  }),
  headers: { "Last-Event-ID": "Only events after this one; it goes before `after`." },
};

export const workflowEventRoutes = {
  "GET /workflows/:target/events": route({ summary: "The events of one instance.", ...place, answer: "events" }),
};

export const eventRoutes = {
  "GET /events": route({ summary: "The events of all instances.", ...place, answer: "events" }),
};
