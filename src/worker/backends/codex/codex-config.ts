/**
 * The settings passed to Codex with `-c`: its servers, its provider, what it offers and hides. The user's own file is
 * not changed.
 */
import type { TurnSpec } from "../../../protocol/worker/worker-input.ts";
import type { TurnInput } from "../backend.ts";
import { loginVariables } from "../../program/program-environment.ts";
import { mayPlaceSkills } from "../../program/placed-skills.ts";
import { ownTools, providerKeyVariable, type Server, type Servers, toolVariables } from "../../program/servers.ts";

/** Its own retries; the kernel retries the turn after them. */
const retries = 2;
/** Longer than any approved tool call: bash may run for 10 minutes. The time a person may take to approve is added. */
const toolMs = 660_000;

/** The settings of this turn, by their names in its configuration. */
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
    // Hides its keys from the programs that it starts.
    "shell_environment_policy.exclude": [
      providerKeyVariable,
      ...loginVariables("codex", provider),
      toolVariables.token,
    ],
  };
}

/** The settings as arguments. */
export function codexFlags(settings: Record<string, unknown>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${toml(value)}`]);
}

function providerSettings({ name = "agent-worker", baseUrl, apiKey }: TurnInput["provider"]) {
  if (baseUrl === undefined && apiKey === undefined) return {};
  // Names of built-in providers cannot be redefined.
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

/** Codex need not ask for approval of our tools: our servers decide. */
function serverSettings({ url, tokenVariable }: Server, { definition }: TurnSpec) {
  return {
    url,
    bearer_token_env_var: tokenVariable,
    required: true,
    default_tools_approval_mode: "approve",
    tool_timeout_sec: Math.ceil((definition.approval_timeout + toolMs) / 1_000),
  };
}

/**
 * Codex also reads, lists and searches with its shell. If any of these tools is served by us, its shell is turned off,
 * unless the agent may use it.
 */
function isShellReplaced(served: Set<string>, own: Set<string>): boolean {
  return !own.has("bash") && ["bash", "read_file", "list_files", "search_code"].some((tool) => served.has(tool));
}

/** A value in TOML. JSON strings are valid TOML, except for DEL. */
function toml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value).replaceAll("\x7f", "\\u007F");
  return `{${Object.entries(value)
    .map(([name, inner]) => `${name}=${toml(inner)}`)
    .join(",")}}`;
}
