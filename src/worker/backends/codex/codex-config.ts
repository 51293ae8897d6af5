/** What Codex is told by `-c`: its servers, its provider, what it may offer and hide. The user's own file stays as it is. */
import type { TurnSpec } from "../../../protocol/worker/worker-input.ts";
import type { TurnInput } from "../backend.ts";
import { loginVariables } from "../../program/environment.ts";
import { mayPlaceSkills } from "../../program/placed-skills.ts";
import { ownTools, providerKeyVariable, type Server, type Servers, toolVariables } from "../../program/servers.ts";

/** Ours come after its own. */
const retries = 2;
/** More than a call of a tool takes once it may be made, which is 10 m for bash; before that, a person may be asked. */
const toolMs = 660_000;

/** The values of this turn, by their names in its configuration. */
export function codexSettings(
  spec: TurnSpec,
  { provider }: Pick<TurnInput, "provider">,
  { servers, served }: Servers,
): Record<string, unknown> {
  return {
    ...providerSettings(provider),
    ...Object.fromEntries(servers.map((server) => [`mcp_servers.${server.name}`, serverSettings(server, spec)])),
    ...(!mayPlaceSkills(spec) && { "skills.include_instructions": false }),
    ...(isShellReplaced(served, ownTools(spec)) && { "features.shell_tool": false }),
    // What it starts does not see its keys.
    "shell_environment_policy.exclude": [
      providerKeyVariable,
      ...loginVariables("codex", provider),
      toolVariables.token,
    ],
  };
}

/** As arguments. */
export function codexFlags(settings: Record<string, unknown>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${toml(value)}`]);
}

function providerSettings({ name = "agent-worker", baseUrl, apiKey }: TurnInput["provider"]) {
  if (baseUrl === undefined && apiKey === undefined) return {};
  // Names of its own cannot be given another meaning.
  const id = `agent-worker-${name.replace(/[^A-Za-z0-9_-]/g, "-")}`;
  return {
    model_provider: id,
    [`model_providers.${id}`]: {
      name,
      base_url: baseUrl ?? "https://api.openai.com/v1",
      wire_api: "responses",
      request_max_retries: retries,
      stream_max_retries: retries,
      ...(apiKey !== undefined && { env_key: providerKeyVariable }),
    },
  };
}

/** Ours do not ask for approval: who may call what is decided behind them. */
function serverSettings({ url, tokenVariable }: Server, { definition }: TurnSpec) {
  return {
    url,
    bearer_token_env_var: tokenVariable,
    required: true,
    default_tools_approval_mode: "approve",
    tool_timeout_sec: Math.ceil((definition.approval_timeout + toolMs) / 1_000),
  };
}

/** With its shell it reads, lists and searches as well: all of that is ours to do where it is served, unless it may use both. */
function isShellReplaced(served: Set<string>, own: Set<string>): boolean {
  return !own.has("bash") && ["bash", "read_file", "list_files", "search_code"].some((tool) => served.has(tool));
}

/** A value as TOML writes it; JSON's strings are TOML's, except for DEL. */
function toml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value).replaceAll("\x7f", "\\u007F");
  return `{${Object.entries(value)
    .map(([name, inner]) => `${name}=${toml(inner)}`)
    .join(",")}}`;
}
