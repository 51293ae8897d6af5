/**
 * Selects the part of the caller's environment that a program needs to run, to find its login and to reach its
 * provider.
 */
import { directLoopback } from "../../system/loopback.ts";
import { factsOf, providerNames } from "../../protocol/backend/model.ts";
import { type ProgramBackend, programs } from "../../protocol/backend/programs.ts";
import type { TurnSpec } from "../../protocol/worker/worker-input.ts";
import { toolEnvironment } from "../tool-environment.ts";
import { type Provider, variablesOf } from "../model/provider.ts";

/** Configuration folders, proxies, certificates, the keyring: none of them is a model key. */
const common = /^(XDG_\w+|(HTTPS?|ALL|NO)_PROXY|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|DBUS_SESSION_BUS_ADDRESS)$/i;

/** A program's own settings. Variables with keys are excluded, whatever their names. */
const settings: Record<ProgramBackend, RegExp> = {
  // Exclude what Claude Code sets for a Claude Code that it starts itself: ours is independent of it.
  claude:
    /^(ANTHROPIC|CLAUDE(?!_CODE_(ENTRYPOINT|CHILD|SESSION|MESSAGING))|DISABLE)_\w+$|^(BASH_(DEFAULT|MAX)_\w+|MCP_(TOOL_)?TIMEOUT|API_TIMEOUT_MS|MAX_THINKING_TOKENS|CLOUD_ML_REGION)$/,
  codex: /^(CODEX_\w+|OPENAI_BASE_URL|RUST_LOG)$/,
  cursor: /^CURSOR_\w+$/,
  opencode: /^OPENCODE_\w+$/,
};

/** The cloud accounts that Claude Code uses instead of Anthropic, if it is configured to. */
const clouds: Record<string, RegExp> = {
  CLAUDE_CODE_USE_BEDROCK: /^AWS_\w+$/,
  CLAUDE_CODE_USE_VERTEX: /^(GOOGLE_APPLICATION_CREDENTIALS|GCLOUD_PROJECT|GOOGLE_CLOUD_PROJECT|VERTEX_\w+)$/,
};

/** The variables that may contain the program's login; none if the agent's `provider` has a key. */
export function loginVariables(backend: ProgramBackend, { apiKey }: Provider): string[] {
  if (apiKey !== undefined) return [];
  return backend === "codex" ? [...programs.codex.variables, "OPENAI_API_KEY"] : [...programs[backend].variables];
}

/**
 * The whole environment of a program, except for its backend's additions. The agent's `env` is for the program and its
 * shell.
 */
export function environmentFor(backend: ProgramBackend, spec: TurnSpec, provider: Provider): Record<string, string> {
  const { env: caller, definition } = spec;
  const logins = loginVariables(backend, provider);
  const keys = new Set([...providerNames.flatMap((name) => factsOf(name).keys), ...programs[backend].variables]);
  const accounts = Object.entries(clouds).flatMap(([name, account]) => (caller[name] ? [account] : []));
  const patterns = [common, settings[backend], ...(backend === "claude" ? accounts : [])];
  const passed = Object.entries(caller).filter(
    ([name]) => logins.includes(name) || (!keys.has(name) && patterns.some((pattern) => pattern.test(name))),
  );
  return withToolEnvironment(caller, { ...Object.fromEntries(passed), ...definition.env });
}

/**
 * The same for an unknown program. With a `provider`, it gets the variables in which programs usually look for that
 * provider's key and base URL. Everything else that it needs must be in the agent's `env`.
 */
export function environmentForUnknown(
  { env: caller, definition }: TurnSpec,
  provider: Provider,
): Record<string, string> {
  const { keys, address } = provider.name === undefined ? { keys: [], address: undefined } : variablesOf(provider.name);
  const login = provider.apiKey === undefined ? keys : [];
  const passed = Object.entries(caller).filter(
    ([name]) => common.test(name) || login.includes(name) || name === address,
  );
  return withToolEnvironment(caller, {
    ...Object.fromEntries(passed),
    ...(keys[0] !== undefined && provider.apiKey !== undefined && { [keys[0]]: provider.apiKey }),
    ...(address !== undefined && provider.baseUrl !== undefined && { [address]: provider.baseUrl }),
    ...definition.env,
  });
}

/** Adds what every tool gets. Calls to the daemon bypass any proxy. */
function withToolEnvironment(caller: Record<string, string>, own: Record<string, string>): Record<string, string> {
  const env = toolEnvironment(caller, own);
  return { ...env, ...directLoopback(env) };
}
