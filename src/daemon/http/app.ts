/** The HTTP door: one guard, one list of routes, one shape of errors. */
import { Hono } from "hono";
import { AppError, errorTable } from "../../protocol/error.ts";
import type { Operations } from "../kernel/operations.ts";
import { agentRoutes } from "./agents.ts";
import { approvalRoutes } from "./approvals.ts";
import { documentRoutes } from "./documents.ts";
import { eventRoutes } from "./events.ts";
import { feedbackRoutes } from "./feedback.ts";
import { type Env, type GuardOptions, guard } from "./guard.ts";
import { healthRoutes } from "./health.ts";
import { historyRoutes } from "./history.ts";
import { inboxRoutes } from "./inbox.ts";
import { type AnswerMcp, mcpRoutes } from "./mcp.ts";
import { messageRoutes } from "./messages.ts";
import { openApiRoutes } from "./openapi.ts";
import { proposalRoutes } from "./proposals.ts";
import { resourceRoutes } from "./resources.ts";
import { runRoutes } from "./runs.ts";
import { scheduleRoutes } from "./schedules.ts";
import { toolRoutes } from "./tools.ts";
import { turnRoutes } from "./turns.ts";
import { workflowRoutes } from "./workflows.ts";

export type AppOptions = GuardOptions & {
  kernel: Operations;
  answerMcp: AnswerMcp;
  /** Aborted when the daemon begins to stop: streams end then. */
  closing: AbortSignal;
  shutdown: () => void;
  report: (trouble: string, error: unknown) => void;
};

export function createApp(options: AppOptions): Hono<Env> {
  const { kernel, answerMcp, closing, shutdown, report } = options;
  const app = new Hono<Env>();
  app.use(guard(options));
  app.route("/", healthRoutes(kernel, shutdown));
  app.route("/", agentRoutes(kernel));
  app.route("/", workflowRoutes(kernel));
  app.route("/", runRoutes(kernel, closing));
  app.route("/", messageRoutes(kernel));
  app.route("/", inboxRoutes(kernel));
  app.route("/", scheduleRoutes(kernel));
  app.route("/", toolRoutes(kernel));
  app.route("/", approvalRoutes(kernel));
  app.route("/", eventRoutes(kernel, closing));
  app.route("/", turnRoutes(kernel));
  app.route("/", documentRoutes(kernel));
  app.route("/", historyRoutes(kernel));
  app.route("/", feedbackRoutes(kernel));
  app.route("/", resourceRoutes(kernel));
  app.route("/", openApiRoutes());
  app.route("/", proposalRoutes(kernel));
  app.route("/", mcpRoutes(answerMcp));
  app.notFound((context) =>
    respond(
      new AppError("not-found", `there is no ${context.req.method} ${context.req.path}`, {
        hint: "docs/reference/http.md lists the routes",
      }),
    ),
  );
  app.onError((error, context) => {
    if (error instanceof AppError) return respond(error);
    report(`${context.req.method} ${context.req.path} failed`, error);
    return respond(new AppError("internal", "the daemon failed at this request"));
  });
  return app;
}

function respond(error: AppError): Response {
  return Response.json(error.toBody(), { status: errorTable[error.code].status });
}
