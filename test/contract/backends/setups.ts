/** Every backend as the suite runs it; the support table in the docs has a column for each. */
import type { AgentInput } from "../../../src/protocol/definition/agent-definition.ts";
import type { ProviderName } from "../../../src/protocol/backend/model.ts";
import type { CaseName } from "./cases.ts";
import { apiKey, type BackendSetup, type Place, stubbornScript } from "./setup.ts";

const keyVariable = "SCRIPTED_KEY";

/** What depends on how a vendor's API talks. */
const wire: CaseName[] = [
  "systemPrompt",
  "streaming",
  "contextTools",
  "usage",
  "cost",
  "badKey",
  "unknownModel",
  "rateLimit",
  "serverError",
  "cutStream",
  "garbage",
  "noOutput",
  "unknownTool",
  "brokenArguments",
];

/** The same runtime over another vendor's form of a model API. */
function sdkOver(
  provider: ProviderName,
  model: string,
  path: string,
  { lacks = {}, only }: Partial<Pick<BackendSetup, "lacks" | "only">> = {},
): BackendSetup {
  const agent = ({ apiUrl }: Place): Partial<AgentInput> => ({
    model,
    provider: { name: provider, base_url: `${apiUrl}${path}`, api_key: `$${keyVariable}` },
  });
  return {
    name: `sdk (${provider})`,
    backend: "sdk",
    agent,
    env: () => ({ [keyVariable]: apiKey }),
    keyVariable,
    stubborn: () => ({
      agent: { tools: ["bash"] },
      rules: [{ steps: [{ calls: [{ tool: "bash", args: { command: `./${stubbornScript}` } }] }] }],
    }),
    userFiles: { ".netrc": "machine example.test login me\n", ".config/agent.json": "{}\n" },
    lacks: {
      skills: "there is no program; told in the prompt, and the tool skill loads them",
      lostThread: "the conversation is kept by agent-worker",
      permissionDenied: "nothing but our own approvals asks for permissions",
      ...lacks,
    },
    ...(only && { only }),
  };
}

export const setups: BackendSetup[] = [
  sdkOver("anthropic", "claude-sonnet-4-5", ""),
  sdkOver("openai", "gpt-5", "/v1", { only: wire }),
  sdkOver("google", "gemini-2.5-pro", "/v1beta", {
    only: wire,
    lacks: { brokenArguments: "its arguments are no text, so they cannot be broken" },
  }),
  sdkOver("deepseek", "deepseek-chat", "", { only: wire }),
  sdkOver("openai-compatible", "a-model", "/v1", { only: wire, lacks: { cost: "nobody knows what it costs" } }),
];
