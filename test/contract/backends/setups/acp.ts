/** An agent that speaks ACP on the suite's stage: OpenCode, by its other door. */
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
    skills: "how it is shown skills is unknown; they are told in the prompt, and the tool skill loads them",
    thread: "each turn is on its own",
    lostThread: "each turn is on its own",
    badKey: "the protocol does not tell what a provider answered; transient",
    unknownModel: "the protocol does not tell what a provider answered; transient",
    usageLimit: "the protocol does not tell",
    rateLimit: "the protocol does not tell",
    noOutput: "the agent's own affair; idle_timeout ends it",
    garbage: "the agent's own affair; idle_timeout ends it",
    usage: "as the agent counts it, where it does",
    cost: "as the agent tells it, or estimated where it names a model of our table of prices; this one does neither",
  },
  brief: ["contextTools", "permissionDenied", "stubbornChild"],
  // Some refusals of a provider OpenCode tries again for more than a minute before it tells.
  timeoutMs: 180_000,
  ...(unavailable !== undefined && { unavailable }),
};
