/** Routes of events: a resumable stream, of one instance or of all. */
import { z } from "zod";
import { route, wholeNumber } from "./route.ts";

const resumable = {
  query: z.object({
    after: wholeNumber.min(0).optional().describe("Only events with a greater `seq`."),
    follow: z.enum(["0", "1"]).default("1").describe("`0`: end after the stored events instead of waiting for more."),
  }),
  headers: { "Last-Event-ID": "Only events with a greater `seq`; takes precedence over `after`." },
};

export const workflowEventRoutes = {
  "GET /workflows/:target/events": route({
    summary: "Streams the events of one instance.",
    ...resumable,
    response: "events",
  }),
};

export const eventRoutes = {
  "GET /events": route({ summary: "Streams the events of all instances.", ...resumable, response: "events" }),
};
