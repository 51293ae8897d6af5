/** The setups of the `sdk` backend, one per vendor's API. */
import type { AgentInput } from "../../../src/protocol/definition/agent-definition.ts";
import type { ProviderName } from "../../../src/protocol/backend/model.ts";
import type { CaseName } from "./cases.ts";
import { apiKey, type BackendSetup, type Place, stubbornScript } from "./setup.ts";

const keyVariable = "SCRIPTED_KEY";

/** The cases that depend on a vendor's API format. */
const apiCases: CaseName[] = [
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

/** The same runtime with a vendor's API format. */
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
      skills: "there is no program; the prompt lists the skills, and the tool `skill` loads them",
      lostThread: "agent-worker keeps the conversation itself",
      permissionDenied: "only agent-worker's own approvals ask for permissions",
      ...lacks,
    },
    ...(only && { only }),
  };
}

export const setups: BackendSetup[] = [
  sdkOver("anthropic", "claude-sonnet-4-5", ""),
  sdkOver("openai", "gpt-5", "/v1", { only: apiCases }),
  sdkOver("google", "gemini-2.5-pro", "/v1beta", {
    only: apiCases,
    lacks: { brokenArguments: "its arguments are objects, not text, so they cannot be malformed" },
  }),
  sdkOver("deepseek", "deepseek-chat", "", { only: apiCases }),
  sdkOver("openai-compatible", "a-model", "/v1", { only: apiCases, lacks: { cost: "the model's price is unknown" } }),
];
