/** The TypeScript API: runs and starts workflows from a program, with the same daemon as the command line. */
import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Action } from "./protocol/action.ts";
import type { ParamValue, WorkflowDefinition, WorkflowInput } from "./protocol/definition/definition.ts";
import { AppError } from "./protocol/error.ts";
import type { Event } from "./protocol/event.ts";
import { homeFolder } from "./system/home.ts";
import type { RunResult } from "./protocol/instance.ts";
import { directLoopback } from "./system/loopback.ts";
import { defaultTag, formatTarget } from "./protocol/target.ts";
import { WorkflowHandle } from "./interface/library/handles.ts";
import type { Client } from "./interface/client/client.ts";
import { connectClient } from "./interface/client/connect.ts";
import type { Diagnostic } from "./workflow/diagnostics/diagnostic.ts";
import { interpolate as interpolateTemplate } from "./workflow/expression/interpolate.ts";
import { fieldOf } from "./text/json.ts";
import { loadWorkflow, type LoadedWorkflow, readWorkflow } from "./workflow/load.ts";

export { AgentHandle, WorkflowHandle } from "./interface/library/handles.ts";
export type { AgentAnswer, AskOptions, SendOptions } from "./interface/library/handles.ts";
export { AppError } from "./protocol/error.ts";
export type { Action, Diagnostic, Event, WorkflowDefinition, WorkflowInput };

// A proxy would see the daemon's token. Bun reads these variables once, at the first request, so they are set on import.
Object.assign(process.env, directLoopback(process.env));

/** The path of a workflow file, or its content as an object. */
export type Workflow = string | WorkflowInput;

export type StartOptions = {
  /** Distinguishes instances of one workflow. Default: `main`. */
  tag?: string;
  /** The folder that the instance belongs to and its agents work in. Default: the current folder. */
  project?: string;
  /** Values for the workflow's params. */
  params?: Record<string, ParamValue>;
  /** The environment of agents and steps. Default: the environment of this process. */
  env?: Record<string, string | undefined>;
  /** Starts without the messages and documents of earlier runs of this instance. */
  fresh?: boolean;
  /** The folder where the daemon keeps its state. Default: `AGENT_WORKER_HOME` or `~/.agent-worker`. */
  home?: string;
};
export type RunOptions = StartOptions & {
  /** Called for every event, as it happens. */
  onEvent?: (event: Event) => void;
  /** Stops the run when aborted. If it is already aborted, no run starts. */
  signal?: AbortSignal;
};

/** How a run ended; `reason` says why it did not complete. `results` holds the values captured by `as`, `duration` is in milliseconds. */
export type WorkflowResult = Pick<RunResult, "output" | "results" | "status" | "reason" | "duration" | "usage">;

export type Validation = { valid: boolean; errors: Diagnostic[]; warnings: Diagnostic[] };

/** The values that `${{ … }}` can refer to. */
export type Variables = {
  /** Available as if a step had captured them. */
  values?: Record<string, string>;
  env?: Record<string, string | undefined>;
  params?: Record<string, ParamValue>;
  workflow?: { name: string; tag: string };
};

const notStarted: WorkflowResult = {
  output: "",
  results: {},
  status: "stopped",
  reason: "stopped before it started",
  duration: 0,
  usage: { inputTokens: 0, outputTokens: 0 },
};

/** Runs a workflow until nothing is left to do. A failed or stopped run does not throw: check `status`. */
export async function run(workflow: Workflow, options: RunOptions = {}): Promise<WorkflowResult> {
  const { client, request, target } = await prepare(workflow, options, true);
  const { signal, onEvent } = options;
  if (signal?.aborted) return notStarted;
  const stop = () => {
    // If this fails, the run continues to its own end, which is then the result.
    client.stop(target).catch(() => undefined);
  };
  signal?.addEventListener("abort", stop, { once: true });
  try {
    for await (const event of client.run(request, target)) {
      // Aborted before there was a run to stop: stop it now.
      if (event.type === "workflow-start" && signal?.aborted) stop();
      onEvent?.(event);
      if (event.type === "workflow-end") return toResult(event.data);
    }
  } finally {
    signal?.removeEventListener("abort", stop);
  }
  throw new AppError("daemon-unreachable", `the event stream of ${target} ended before the run did`);
}

/** Starts a workflow that keeps running until it is stopped. */
export async function start(workflow: Workflow, options: StartOptions = {}): Promise<WorkflowHandle> {
  const { client, request } = await prepare(workflow, options, false);
  const { workflow: info, cursor } = await client.start(request);
  return new WorkflowHandle({ client, env: request.env }, info, cursor);
}

/** A workflow with its defaults filled in. Throws an error that lists everything wrong with it. */
export async function parseWorkflow(workflow: Workflow): Promise<WorkflowDefinition> {
  return (await load(workflow)).definition;
}

/** Checks a workflow and lists everything wrong with it. Runs nothing and needs no daemon. */
export async function validate(workflow: Workflow): Promise<Validation> {
  try {
    const { warnings } = await load(workflow);
    return { valid: true, errors: [], warnings };
  } catch (error) {
    if (!(error instanceof AppError) || !Array.isArray(error.details)) throw error;
    const diagnostics: Diagnostic[] = error.details;
    const [errors, warnings] = (["error", "warning"] as const).map((kind) =>
      diagnostics.filter(({ severity }) => severity === kind),
    );
    return { valid: false, errors: errors ?? [], warnings: warnings ?? [] };
  }
}

/** Fills values into a template. Values are data: an expression inside a value is not evaluated. */
export function interpolate(template: string, variables: Variables = {}): string {
  const { values = {}, env = {}, params = {}, workflow = { name: "", tag: defaultTag } } = variables;
  const typed = Object.entries(params).map(([name, value]) => [
    name,
    Number.isSafeInteger(value) ? BigInt(value) : value,
  ]);
  const scope = {
    captured: values,
    env,
    params: Object.fromEntries(typed),
    workflow,
    context: { channel: "", document: "" },
    source: { dir: "" },
  };
  try {
    return interpolateTemplate(template, scope).text;
  } catch (error) {
    const name = error instanceof AppError ? fieldOf(error.details, "name") : undefined;
    if (!(error instanceof AppError) || typeof name !== "string") throw error;
    const hint = `add it to the values: interpolate(template, { values: { ${name}: "…" } })`;
    throw new AppError(error.code, error.message, { hint, details: error.details, cause: error });
  }
}

async function prepare(workflow: Workflow, options: StartOptions, mustWork: boolean) {
  const env = Object.fromEntries(
    Object.entries(options.env ?? process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  if (options.home !== undefined) env.AGENT_WORKER_HOME = resolve(options.home);
  const { input, dir, definition } = await load(workflow, { mustWork, env });
  const project = realFolder(options.project ?? ".");
  const { tag = defaultTag, fresh = false, params = {} } = options;
  const client: Client = await connectClient({ home: homeFolder(env), env, announce: () => undefined }, { project });
  return {
    client,
    request: { definition: input, project, dir, tag, env, fresh, params },
    target: formatTarget({ workflow: definition.name, tag }),
  };
}

function realFolder(folder: string): string {
  try {
    const path = realpathSync(folder);
    if (statSync(path).isDirectory()) return path;
  } catch (cause) {
    throw new AppError("usage", `the project folder ${resolve(folder)} cannot be used`, {
      hint: "create it, or set the option `project` to another folder",
      cause,
    });
  }
  throw new AppError("usage", `the project ${resolve(folder)} is not a folder`, {
    hint: "set `project` to the folder that contains it",
  });
}

async function load(
  workflow: Workflow,
  options: { mustWork?: boolean; env?: Record<string, string> } = {},
): Promise<LoadedWorkflow> {
  return typeof workflow === "string"
    ? loadWorkflow(workflow, options)
    : readWorkflow(JSON.stringify(workflow, null, 2), "workflow", options);
}

function toResult({ output, results, status, reason, duration, usage }: RunResult): WorkflowResult {
  return { output, results, status, reason, duration, usage };
}
