/** The HTTP API: one guard, one list of routes, one shape of errors. */
import { Hono } from "hono";
import { AppError, errorTable } from "../../protocol/error.ts";
import type { Operations } from "../kernel/operations.ts";
import { agentHandlers } from "./agents.ts";
import { approvalHandlers } from "./approvals.ts";
import { documentHandlers } from "./documents.ts";
import { eventHandlers } from "./events.ts";
import { feedbackHandlers } from "./feedback.ts";
import { type Env, type GuardOptions, guard } from "./guard.ts";
import { healthHandlers } from "./health.ts";
import { historyHandlers } from "./history.ts";
import { inboxHandlers } from "./inbox.ts";
import { type AnswerMcp, mcpHandlers } from "./mcp.ts";
import { messageHandlers } from "./messages.ts";
import { openApiHandlers } from "./openapi.ts";
import { proposalHandlers } from "./proposals.ts";
import { resourceHandlers } from "./resources.ts";
import { runHandlers } from "./runs.ts";
import { scheduleHandlers } from "./schedules.ts";
import { serveRoutes } from "./serve.ts";
import { toolHandlers } from "./tools.ts";
import { turnHandlers } from "./turns.ts";
import { workflowHandlers } from "./workflows.ts";

export type AppOptions = GuardOptions & {
  operations: Operations;
  answerMcp: AnswerMcp;
  /** Aborted when the daemon starts to stop; streams then end. */
  closing: AbortSignal;
  shutdown: () => void;
  report: (problem: string, error: unknown) => void;
};

export function createApp(options: AppOptions): Hono<Env> {
  const { operations, answerMcp, closing, shutdown, report } = options;
  const app = new Hono<Env>();
  app.use(guard(options));
  serveRoutes(app, operations, {
    ...healthHandlers(operations, shutdown),
    ...agentHandlers(operations),
    ...toolHandlers(operations),
    ...workflowHandlers(operations),
    ...eventHandlers(operations, closing),
    ...documentHandlers(operations),
    ...historyHandlers(operations),
    ...feedbackHandlers(operations),
    ...resourceHandlers(operations),
    ...runHandlers(operations, closing),
    ...messageHandlers(operations),
    ...inboxHandlers(operations),
    ...scheduleHandlers(operations),
    ...approvalHandlers(operations),
    ...proposalHandlers(operations),
    ...turnHandlers(operations),
    ...openApiHandlers(),
    ...mcpHandlers(answerMcp),
  });
  app.notFound((context) =>
    respond(
      new AppError("not-found", `no such route: ${context.req.method} ${context.req.path}`, {
        hint: "docs/reference/http.md lists the routes",
      }),
    ),
  );
  app.onError((error, context) => {
    if (error instanceof AppError) return respond(error);
    report(`${context.req.method} ${context.req.path} failed`, error);
    return respond(new AppError("internal", "the daemon failed to handle this request"));
  });
  return app;
}

function respond(error: AppError): Response {
  return Response.json(error.toBody(), { status: errorTable[error.code].status });
}
