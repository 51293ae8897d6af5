/** The setup of an ACP agent: OpenCode, over ACP. */
import { opencodeEnv, opencodeFiles } from "../../../fixtures/opencode-home.ts";
import { testProgram } from "../../../fixtures/test-programs.ts";
import { apiKey, type BackendSetup, stubbornScript } from "../setup.ts";

const { path, unavailable } = testProgram("opencode");

export const acp: BackendSetup = {
  name: "acp",
  backend: "acp",
  agent: ({ apiUrl, home }) => {
    const options = { baseURL: `${apiUrl}/v1`, apiKey: "{env:SCRIPTED_API_KEY}" };
    const provider = { npm: "@ai-sdk/openai-compatible", options, models: { marmot: {} } };
    const config = { autoupdate: false, provider: { scripted: provider }, model: "scripted/marmot" };
    const asking = { ...config, permission: { bash: "ask" } };
    return {
      command: [path, "acp"],
      provider: { name: "scripted", api_key: "$SCRIPTED_KEY" },
      env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(asking), ...opencodeEnv(home) },
    };
  },
  env: () => ({ SCRIPTED_KEY: apiKey }),
  keyVariable: "SCRIPTED_KEY",
  stubborn: ({ folder }) => ({ agent: { command: [`${folder}/${stubbornScript}`] }, rules: [] }),
  denied: () => ({
    agent: {},
    rules: [
      {
        offers: "bash",
        steps: [{ calls: [{ tool: "bash", args: { command: "touch made", description: "Make" } }] }, { text: "Done." }],
      },
    ],
  }),
  userFiles: opencodeFiles,
  lacks: {
    skills: "it is unknown where an ACP agent looks for skills; the prompt lists them, and the tool `skill` loads them",
    thread: "turns are independent",
    lostThread: "turns are independent",
    badKey: "the protocol does not report the provider's response; transient",
    unknownModel: "the protocol does not report the provider's response; transient",
    usageLimit: "the protocol does not report it",
    rateLimit: "the protocol does not report it",
    noOutput: "handled by the agent; `idle_timeout` ends the turn",
    garbage: "handled by the agent; `idle_timeout` ends the turn",
    usage: "reported by the agent, if it reports any",
    cost: "reported by the agent, or estimated if the agent names a model in agent-worker's price table; this one does neither",
  },
  brief: ["contextTools", "permissionDenied", "stubbornChild"],
  // OpenCode retries some errors of a provider for more than a minute before it reports them.
  timeoutMs: 180_000,
  ...(unavailable !== undefined && { unavailable }),
};
