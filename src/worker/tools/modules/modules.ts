/**
 * Modules of tools (`./my-tools.ts`): a user's own code, in the form of the AI SDK, run inside the worker.
 *
 * They see the agent's folder as the current one and the environment of its tools as their own; a process that has
 * loaded one is the agent's for good, which is what a worker is anyway.
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

/** What a model can call, and no more of it than models take. */
const toolName = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;
const importMs = 30_000;
/** Values that one call of a tool may give before its last. */
const maxValues = 100_000;
let calls = 0;

/** Throws `ToolSetupError` that names the file and what to do. */
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
  if (!existsSync(file)) throw fail("does not exist: mend the path in the agent's tools");
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

/** An import that awaits something for ever would hold up the turn in silence. */
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

/** Exports that are tools, by their names; a default export is a tool called like its file, or a map of tools. */
function findTools(exported: Record<string, unknown>, fileName: string, fail: Fail): ExportedTool[] {
  const { default: standard, tools: listed, ...named } = exported;
  const found: ExportedTool[] = [];
  const add = (name: string, value: unknown) => {
    const tool = readTool(name, value, fail);
    // A default export often repeats what is exported by name.
    if (!tool || found.some((other) => other.name === name && other.execute === tool.execute)) return;
    if (found.some((other) => other.name === name)) throw fail(`exports two tools called ${name}: rename one`);
    found.push(tool);
  };
  for (const [name, value] of Object.entries(named)) add(name, value);
  for (const map of [listed, standard]) {
    if (isRecord(map) && typeof map.execute === "function") add(fileName, map);
    else if (isRecord(map)) for (const [name, value] of Object.entries(map)) add(name, value);
  }
  return found;
}

/** Null for what is no tool, such as a helper. */
function readTool(name: string, value: unknown, fail: Fail): ExportedTool | null {
  if (!isRecord(value)) return null;
  const { description, inputSchema, parameters, execute } = value;
  if (!isExecute(execute)) {
    if (inputSchema === undefined || description === undefined) return null;
    throw fail(`has a tool ${name} without execute: nothing would run`);
  }
  if (!toolName.test(name)) throw fail(`has a tool called '${name}': use letters, digits, _ and -, at most 64`);
  if (isContextTool(name)) throw fail(`has a tool called ${name}, which is one of the team's own: rename it`);
  if (inputSchema === undefined && parameters !== undefined)
    throw fail(`calls the schema of ${name} parameters: call it inputSchema`);
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
        // One that does not listen is left behind; its process ends with the turn.
        const value = await untilAborted(lastValueOf(execute(await schema.check(args), options)), signal);
        return { ok: true, text: resultText(value) } satisfies ToolResult;
      }),
  };
}

/** A tool may give values one after the other; the last one is its result. */
async function lastValueOf(given: unknown): Promise<unknown> {
  const value: unknown = await given;
  if (!isAsyncIterable(value)) return value;
  let last: unknown;
  let count = 0;
  for await (const each of value) {
    last = each;
    if (++count > maxValues) throw new Error(`it gave more than ${maxValues} values`);
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
