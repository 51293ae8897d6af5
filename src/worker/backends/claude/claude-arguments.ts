/** The arguments and the environment of Claude Code. */
import { splitModel } from "../../../protocol/backend/model.ts";
import { programs } from "../../../protocol/backend/programs.ts";
import type { TurnSpec } from "../../../protocol/worker/worker-input.ts";
import type { TurnInput } from "../backend.ts";
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
  // Otherwise it hides MCP tools behind a search, which costs a step and which models sometimes skip.
  ENABLE_TOOL_SEARCH: "false",
};
/** Otherwise it runs read-only commands such as `cat` without asking for permission. */
const askAlways = JSON.stringify({ permissions: { ask: askedTools } });
/**
 * Hides its keys from the commands that its shell runs; its own option for this needs bubblewrap. Claude Code treats
 * everything after the last " -" as arguments, hence the tab.
 */
const shellPrefix = `sh -c 'unset ${[...programs.claude.variables, toolVariables.token].join(" ")}; exec "\${SHELL:-bash}"\t-c "$1"' sh`;
/** Its own retries. After them the kernel retries the turn, with longer waits and without keeping a worker. */
const retries = "2";

/** Files and folders of this turn, and the tools of its own that it must not offer. */
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
    // With an approval policy, every call goes through the permission tool.
    approval === undefined
      ? ["--permission-mode", "dontAsk"]
      : ["--permission-prompt-tool", `mcp__${toolServer}__${permissionTool}`, "--settings", askAlways],
    ["--max-turns", String(maxSteps)],
    // Forked, so that a failed attempt leaves nothing in the thread.
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

/** The environment that configures it, without its servers. */
export function claudeEnvironment(
  { definition }: TurnSpec,
  { provider, env }: Pick<TurnInput, "provider" | "env">,
): Record<string, string> {
  return {
    CLAUDE_CODE_MAX_RETRIES: env["CLAUDE_CODE_MAX_RETRIES"] ?? retries,
    ...quiet,
    CLAUDE_CODE_SHELL_PREFIX: shellPrefix,
    ...providerEnvironment(provider),
    ...(definition.max_tokens && { CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(definition.max_tokens) }),
  };
}

/** Claude Code adds `/v1` itself. A given key must take precedence over a login. */
function providerEnvironment({ baseUrl, apiKey }: TurnInput["provider"]): Record<string, string> {
  return {
    ...(baseUrl !== undefined && { ANTHROPIC_BASE_URL: baseUrl.replace(/\/v1\/?$/, "") }),
    ...(apiKey !== undefined && { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: "", CLAUDE_CODE_OAUTH_TOKEN: "" }),
  };
}
