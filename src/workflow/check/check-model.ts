/** Checks an agent's model, provider and command: that its backend uses them, that they are known, and that they agree. */
import { type BackendName, commandBackends } from "../../protocol/backend/backend-name.ts";
import { providerNames, splitModel } from "../../protocol/backend/model.ts";
import { isProgramBackend, programBackends, programs } from "../../protocol/backend/programs.ts";
import type { Finding, Path } from "../diagnostics/diagnostic.ts";
import { fieldOf } from "../../text/json.ts";
import { didYouMean } from "../../text/suggest.ts";

type Chosen = { backend: BackendName; prefix: BackendName | undefined; path: Path };

/** Backends that run a program, and those of them that have no default program. */
const needingCommand: readonly BackendName[] = commandBackends;
const runningProgram: readonly BackendName[] = [...programBackends, ...needingCommand];

export function checkModel(name: string, agent: unknown, chosen: Chosen): Finding[] {
  return [
    ...checkCommand(name, agent, chosen),
    ...checkName(agent, chosen),
    ...(chosen.backend === "sdk" ? checkSdkModel(name, agent, chosen) : []),
  ];
}

/** A prefix must be followed by a name, and must match the backend. */
function checkName(agent: unknown, { backend, prefix, path }: Chosen): Finding[] {
  const model = fieldOf(agent, "model");
  if (typeof model !== "string") return [];
  const at = [...path, "model"];
  if (/^[/:]|[/:]$/.test(model)) {
    const message = `'${model}' does not name a model`;
    return [
      { severity: "error", message, path: at, hint: "write provider/model, such as anthropic/claude-sonnet-4-5" },
    ];
  }
  if (prefix === undefined || prefix === backend || takesAnyPrefix(backend)) return [];
  const message = `'${prefix}/' selects the backend ${prefix}, but this agent has backend: ${backend}`;
  return [{ severity: "error", message, path: at, hint: "remove one of the two" }];
}

/** A mock ignores its model. */
function takesAnyPrefix(backend: BackendName): boolean {
  return backend === "mock" || (isProgramBackend(backend) && programs[backend].modelHasProvider);
}

function checkCommand(name: string, agent: unknown, { backend, path }: Chosen): Finding[] {
  const given = fieldOf(agent, "command") !== undefined;
  if (given && !runningProgram.includes(backend)) {
    const message = `the backend '${backend}' does not run a program`;
    const hint = `command is for the backends ${runningProgram.join(", ")}`;
    return [{ severity: "error", message, path: [...path, "command"], part: "key", hint }];
  }
  if (given || !needingCommand.includes(backend)) return [];
  const hint = "add command: [program, argument]";
  return [{ severity: "error", message: `agent '${name}' needs a command for its backend to run`, path, hint }];
}

function checkSdkModel(name: string, agent: unknown, { path }: Chosen): Finding[] {
  const model = fieldOf(agent, "model");
  if (model === undefined) {
    const hint = "add model: anthropic/claude-sonnet-4-5, or model: auto for the first provider with a key";
    return [{ severity: "error", message: `agent '${name}' needs a model`, path, part: "key", hint }];
  }
  return typeof model === "string" ? checkProvider(agent, model, path) : [];
}

function checkProvider(agent: unknown, model: string, path: Path): Finding[] {
  const provider = fieldOf(agent, "provider");
  const settings = typeof provider === "string" ? { name: provider } : provider;
  const named = fieldOf(settings, "name");
  const hasAddress = fieldOf(settings, "base_url") !== undefined;
  if (named === undefined) {
    const { provider: prefix } = splitModel(model);
    if (prefix !== "openai-compatible") return [];
    return [{ severity: "error", message: needsAddress, path: [...path, "model"], hint: addressHint }];
  }
  if (typeof named !== "string" || hasAddress) return [];
  const at = [...path, "provider", ...(typeof provider === "string" ? [] : ["name"])];
  if (named === "openai-compatible") return [{ severity: "error", message: needsAddress, path: at, hint: addressHint }];
  if (providerNames.some((known) => known === named)) return [];
  const message = `unknown provider '${named}'${didYouMean(named, providerNames)}`;
  const hint = `known providers: ${providerNames.join(", ")}; any other must be OpenAI-compatible and needs a base_url`;
  return [{ severity: "error", message, path: at, hint }];
}

const needsAddress = "openai-compatible needs a base_url";
const addressHint = "add provider: { name: openai-compatible, base_url: https://host/v1, api_key: $MY_KEY }";
