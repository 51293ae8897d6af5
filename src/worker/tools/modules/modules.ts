/**
 * Tool modules (`./my-tools.ts`): a user's own code, in the form of the AI SDK, run inside the worker.
 *
 * A module runs with the agent's folder as its working directory and the environment of the agent's tools. This changes
 * the whole process, which is fine because a worker runs one turn.
 */
import { existsSync } from "node:fs";
import { basename, extname, relative } from "node:path";
import { reasonOf } from "../../../protocol/error.ts";
import { isContextTool } from "../../../protocol/tooling.ts";
import { redirectStdout } from "../../output.ts";
import { untilAborted } from "../../until-aborted.ts";
import { registerModule } from "./module-errors.ts";
import { readInputSchema } from "./module-schema.ts";
import { resultText } from "../result-text.ts";
import { runGuarded, type Tool, type ToolPlace, type ToolResult } from "../tool.ts";
import { ToolSetupError } from "../tool-setup-error.ts";

type Execute = (args: unknown, options: unknown) => unknown;
type ExportedTool = { name: string; description?: unknown; inputSchema?: unknown; execute: Execute };

/** The names that models accept. */
const toolName = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;
const importMs = 30_000;
/** How many values a streaming tool may yield. */
const maxValues = 100_000;
let calls = 0;

/** Throws a `ToolSetupError` that names the file and a fix. */
export async function loadModules(files: string[], place: ToolPlace): Promise<Tool[]> {
  if (files.length === 0) return [];
  if (!existsSync(place.cwd)) throw new ToolSetupError("permanent", `the agent's folder ${place.cwd} does not exist`);
  process.chdir(place.cwd);
  Object.assign(process.env, place.env);
  redirectStdout();
  const loaded: Tool[] = [];
  for (const file of files) loaded.push(...(await loadModule(file, place)));
  return loaded;
}

async function loadModule(file: string, place: ToolPlace): Promise<Tool[]> {
  const inside = relative(place.cwd, file);
  const shown = inside.startsWith("..") ? file : inside;
  const fail = (reason: string, cause?: unknown) => new ToolSetupError("permanent", `${shown} ${reason}`, cause);
  if (!existsSync(file)) throw fail("does not exist: fix the path in the agent's tools");
  registerModule(file, shown);
  const exported = await importWithin(file, importMs).catch((error: unknown) => {
    throw fail(`cannot be loaded: ${reasonOf(error)}; run \`bun ${basename(file)}\` to see why`, error);
  });
  const exportedTools = findTools(exported, basename(file, extname(file)), fail);
  if (exportedTools.length === 0) {
    throw fail("exports no tool: export const name = { description, inputSchema, execute }");
  }
  return Promise.all(exportedTools.map((each) => makeTool(each, place, fail)));
}

/** An import that never finishes would block the turn without a message. */
async function importWithin(file: string, limitMs: number): Promise<Record<string, unknown>> {
  const timer = Promise.withResolvers<never>();
  const timeout = setTimeout(() => timer.reject(new Error(`it took longer than ${limitMs / 1_000} s`)), limitMs);
  try {
    return await Promise.race([import(file), timer.promise]);
  } finally {
    clearTimeout(timeout);
  }
}

type Fail = (reason: string) => ToolSetupError;

/** Exports that are tools, by name. A default export is a tool named after its file, or a map of tools. */
function findTools(exported: Record<string, unknown>, fileName: string, fail: Fail): ExportedTool[] {
  const { default: standard, tools: listed, ...named } = exported;
  const found: ExportedTool[] = [];
  const add = (name: string, value: unknown) => {
    const tool = readTool(name, value, fail);
    // A default export often repeats the named exports.
    if (!tool || found.some((other) => other.name === name && other.execute === tool.execute)) return;
    if (found.some((other) => other.name === name)) throw fail(`exports two tools named ${name}: rename one`);
    found.push(tool);
  };
  for (const [name, value] of Object.entries(named)) add(name, value);
  for (const map of [listed, standard]) {
    if (isRecord(map) && typeof map.execute === "function") add(fileName, map);
    else if (isRecord(map)) for (const [name, value] of Object.entries(map)) add(name, value);
  }
  return found;
}

/** Null for an export that is not a tool, such as a helper. */
function readTool(name: string, value: unknown, fail: Fail): ExportedTool | null {
  if (!isRecord(value)) return null;
  const { description, inputSchema, parameters, execute } = value;
  if (!isExecute(execute)) {
    if (inputSchema === undefined || description === undefined) return null;
    throw fail(`has a tool ${name} without execute: add it`);
  }
  if (!toolName.test(name)) throw fail(`has a tool named '${name}': use at most 64 letters, digits, _ and -`);
  if (isContextTool(name))
    throw fail(`has a tool named ${name}, which is the name of one of the daemon's tools: rename it`);
  if (inputSchema === undefined && parameters !== undefined)
    throw fail(`defines the schema of ${name} as parameters: rename it to inputSchema`);
  return { name, description, inputSchema, execute };
}

async function makeTool(
  { name, description, inputSchema, execute }: ExportedTool,
  place: ToolPlace,
  fail: Fail,
): Promise<Tool> {
  const schema = await readInputSchema(inputSchema).catch((error: unknown) => {
    throw fail(`has a tool ${name} that cannot be offered: ${reasonOf(error)}`);
  });
  return {
    name,
    description: typeof description === "string" ? description : "",
    inputSchema: schema.json,
    run: (args, { signal }) =>
      runGuarded(name, signal, async () => {
        const options = { toolCallId: `call-${++calls}`, messages: [], abortSignal: signal, ...place };
        // A call that ignores the signal is abandoned; its process ends with the turn.
        const value = await untilAborted(lastValueOf(execute(await schema.check(args), options)), signal);
        return { ok: true, text: resultText(value) } satisfies ToolResult;
      }),
  };
}

/** A tool may yield several values; the last one is its result. */
async function lastValueOf(given: unknown): Promise<unknown> {
  const value: unknown = await given;
  if (!isAsyncIterable(value)) return value;
  let last: unknown;
  let count = 0;
  for await (const each of value) {
    last = each;
    if (++count > maxValues) throw new Error(`it yielded more than ${maxValues} values`);
  }
  return last;
}

function isExecute(value: unknown): value is Execute {
  return typeof value === "function";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return isRecord(value) && Symbol.asyncIterator in value;
}
