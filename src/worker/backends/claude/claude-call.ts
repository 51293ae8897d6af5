/** How Claude Code is called: its arguments and its environment. */
import { splitModel } from "../../../protocol/backend/model.ts";
import { programs } from "../../../protocol/backend/programs.ts";
import type { TurnSpec } from "../../../protocol/worker/worker-input.ts";
import type { Surroundings } from "../backend.ts";
import { askedTools, changingTools } from "./claude-tools.ts";
import { permissionTool } from "./permission-tool.ts";
import { mayPlaceSkills } from "../../program/placed-skills.ts";
import { ownTools, type Server, toolServer, toolVariables } from "../../program/servers.ts";
import { isThread, threadOf } from "../../program/thread.ts";

const quiet = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
  // Otherwise it hides MCP tools behind a search, which costs a step and is sometimes not thought of.
  ENABLE_TOOL_SEARCH: "false",
};
/** Otherwise it allows itself what only reads, such as `cat`, before anybody is asked. */
const askAlways = JSON.stringify({ permissions: { ask: askedTools } });
/**
 * What its shell runs does not see its keys. Its own way to that needs bubblewrap. It takes what follows the last " -"
 * for the arguments, hence the tab.
 */
const shellPrefix = `sh -c 'unset ${[...programs.claude.variables, toolVariables.token].join(" ")}; exec "\${SHELL:-bash}"\t-c "$1"' sh`;
/** Ours come after its own, with more patience and without a worker that waits. */
const retries = "2";

/** Files and folders of this turn, and those of its tools that it is not to offer. */
export type ClaudeParts = { system: string; skills: string | undefined; replaced: string[] };

export function claudeArgs(spec: TurnSpec, servers: Server[], { system, skills, replaced }: ClaudeParts): string[] {
  const { model, max_steps: maxSteps, approval } = spec.definition;
  const thread = threadOf(spec);
  const allowed = [...servers.map(({ name }) => `mcp__${name}`), ...changingTools(ownTools(spec))];
  return [
    ["-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"],
    model === undefined ? [] : ["--model", splitModel(model).model],
    ["--strict-mcp-config", "--mcp-config", JSON.stringify(mcpConfig(servers))],
    ["--append-system-prompt-file", system],
    skills === undefined ? [] : ["--add-dir", skills],
    mayPlaceSkills(spec) ? [] : ["--disable-slash-commands"],
    ["--allowedTools", allowed.join(",")],
    replaced.length === 0 ? [] : ["--disallowedTools", replaced.join(",")],
    // If there is an approval policy, the daemon applies it, and asks a person if it says so.
    approval === undefined
      ? ["--permission-mode", "dontAsk"]
      : ["--permission-prompt-tool", `mcp__${toolServer}__${permissionTool}`, "--settings", askAlways],
    ["--max-turns", String(maxSteps)],
    // Forked, so that an attempt that fails leaves nothing behind in the thread.
    thread ? ["--resume", thread.session, "--fork-session"] : [],
    isThread(spec) ? [] : ["--no-session-persistence"],
  ].flat();
}

function mcpConfig(servers: Server[]) {
  const entries = servers.map(({ name, url, tokenVariable }) => [
    name,
    { type: "http", url, headers: { Authorization: `Bearer \${${tokenVariable}}` } },
  ]);
  return { mcpServers: Object.fromEntries(entries) };
}

/** All that it is told by its environment, besides its servers. */
export function claudeEnvironment(
  { definition }: TurnSpec,
  { provider, env }: Pick<Surroundings, "provider" | "env">,
): Record<string, string> {
  return {
    CLAUDE_CODE_MAX_RETRIES: env["CLAUDE_CODE_MAX_RETRIES"] ?? retries,
    ...quiet,
    CLAUDE_CODE_SHELL_PREFIX: shellPrefix,
    ...providerEnvironment(provider),
    ...(definition.max_tokens && { CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(definition.max_tokens) }),
  };
}

/** It adds `/v1` itself. A key that is given must not lose to a login. */
function providerEnvironment({ baseUrl, apiKey }: Surroundings["provider"]): Record<string, string> {
  return {
    ...(baseUrl !== undefined && { ANTHROPIC_BASE_URL: baseUrl.replace(/\/v1\/?$/, "") }),
    ...(apiKey !== undefined && { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: "", CLAUDE_CODE_OAUTH_TOKEN: "" }),
  };
}
