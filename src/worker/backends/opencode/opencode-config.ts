/**
 * The settings passed to OpenCode in its environment: its servers, its provider, its permissions. The user's own files
 * are not changed.
 */
import type { TurnSpec } from "../../../protocol/worker/worker-input.ts";
import type { TurnInput } from "../backend.ts";
import { mayPlaceSkills } from "../../program/placed-skills.ts";
import { ownTools, type Server, type Servers } from "../../program/servers.ts";

/** The package for each provider; all others use the OpenAI-compatible one. */
const packages: Record<string, string> = {
  anthropic: "@ai-sdk/anthropic",
  openai: "@ai-sdk/openai",
  google: "@ai-sdk/google",
};

/** `provider/model`, as OpenCode expects it; undefined leaves the choice to OpenCode. */
export function opencodeModel(model: string | undefined, { name }: TurnInput["provider"]): string | undefined {
  if (model === undefined || name === undefined || model.startsWith(`${name}/`)) return model;
  return `${name}/${model}`;
}

/** Files of this turn: its instructions, a key with its provider, a folder of skills. */
export type OpencodeFiles = { system: string; key?: { provider: string; path: string }; skills?: string };

/** The environment that configures it, on top of the user's own configuration. */
export function opencodeEnvironment(
  spec: TurnSpec,
  { provider }: TurnInput,
  { servers, served, env }: Servers,
  { system, key, skills }: OpencodeFiles,
): Record<string, string> {
  const own = ownTools(spec);
  const may = (...tools: string[]) => (tools.some((tool) => own.has(tool)) ? "allow" : "deny");
  // Its reading tools stay as the user configured them, unless the agent is served others instead.
  const replaced = (tool: string, ...names: string[]) =>
    served.has(tool) ? Object.fromEntries(names.map((name) => [name, "deny"])) : {};
  const config = {
    autoupdate: false,
    share: "disabled",
    instructions: [system],
    ...(skills !== undefined && { skills: { paths: [skills] } }),
    mcp: Object.fromEntries(servers.map((server) => [server.name, serverConfig(server)])),
    permission: {
      ...Object.fromEntries(servers.map(({ name }) => [`${name}_*`, "allow"])),
      bash: may("bash"),
      edit: may("write_file", "edit_file"),
      ...replaced("read_file", "read"),
      ...replaced("list_files", "list", "glob"),
      ...replaced("search_code", "grep"),
      ...(!mayPlaceSkills(spec) && { skill: "deny" }),
    },
    ...providerConfig(spec.definition, provider, key),
  };
  return {
    OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    ...env,
  };
}

function serverConfig({ url, tokenVariable }: Server) {
  return { type: "remote", url, oauth: false, headers: { Authorization: `Bearer {env:${tokenVariable}}` } };
}

function providerConfig(
  { model }: TurnSpec["definition"],
  { name, baseUrl, apiKey }: TurnInput["provider"],
  key: OpencodeFiles["key"],
) {
  const options = {
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
    ...(key !== undefined && { apiKey: `{file:${key.path}}` }),
  };
  if (name === undefined || (baseUrl === undefined && apiKey === undefined)) {
    // A provider that OpenCode knows, with a key from the caller's environment.
    return key === undefined ? {} : { provider: { [key.provider]: { options } } };
  }
  const own = model?.startsWith(`${name}/`) ? model.slice(name.length + 1) : model;
  const models = own === undefined ? {} : { models: { [own]: { name: own } } };
  const npm = packages[name] ?? "@ai-sdk/openai-compatible";
  return { provider: { [name]: { npm, name, options, ...models } } };
}
