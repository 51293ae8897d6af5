/** What a program is given of the caller's environment: what it needs to run, to find its login and to ask its provider. */
import { directLoopback } from "../../system/loopback.ts";
import { factsOf, providerNames } from "../../protocol/backend/model.ts";
import { type ProgramBackend, programs } from "../../protocol/backend/programs.ts";
import type { TurnSpec } from "../../protocol/worker/worker-input.ts";
import { toolEnvironment } from "../environment.ts";
import { type Provider, variablesOf } from "../model/provider.ts";

/** Folders of configuration, the way through a proxy, certificates, the keyring: none of them is a key of a model. */
const common = /^(XDG_\w+|(HTTPS?|ALL|NO)_PROXY|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|DBUS_SESSION_BUS_ADDRESS)$/i;

/** A program's own settings; the variables that hold keys are not among them, whatever they are called. */
const settings: Record<ProgramBackend, RegExp> = {
  // Where one Claude Code starts another, it says so in its variables; ours is nobody's part.
  claude:
    /^(ANTHROPIC|CLAUDE(?!_CODE_(ENTRYPOINT|CHILD|SESSION|MESSAGING))|DISABLE)_\w+$|^(BASH_(DEFAULT|MAX)_\w+|MCP_(TOOL_)?TIMEOUT|API_TIMEOUT_MS|MAX_THINKING_TOKENS|CLOUD_ML_REGION)$/,
  codex: /^(CODEX_\w+|OPENAI_BASE_URL|RUST_LOG)$/,
  cursor: /^CURSOR_\w+$/,
  opencode: /^OPENCODE_\w+$/,
};

/** The accounts of a cloud that Claude Code asks in Anthropic's place, where it is told to. */
const clouds: Record<string, RegExp> = {
  CLAUDE_CODE_USE_BEDROCK: /^AWS_\w+$/,
  CLAUDE_CODE_USE_VERTEX: /^(GOOGLE_APPLICATION_CREDENTIALS|GCLOUD_PROJECT|GOOGLE_CLOUD_PROJECT|VERTEX_\w+)$/,
};

/** The variables that may hold what the program logs in with; none where the agent's `provider` has a key for it. */
export function loginVariables(backend: ProgramBackend, { apiKey }: Provider): string[] {
  if (apiKey !== undefined) return [];
  return backend === "codex" ? [...programs.codex.variables, "OPENAI_API_KEY"] : [...programs[backend].variables];
}

/** All that a program is started with, besides what its backend says. The agent's `env` is for it and for its shell. */
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
 * The same for a program of which nothing is known: with a `provider`, what programs look for a provider's key and address
 * in. All else that it needs the agent's `env` names.
 */
export function environmentForUnknown({ env: caller, definition }: TurnSpec, provider: Provider): Record<string, string> {
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

/** With what every tool is given; the daemon is spoken to past any proxy. */
function withToolEnvironment(caller: Record<string, string>, own: Record<string, string>): Record<string, string> {
  const env = toolEnvironment(caller, own);
  return { ...env, ...directLoopback(env) };
}
