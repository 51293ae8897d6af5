/** The setup of OpenCode. */
import { opencodeEnv, opencodeFiles } from "../../../fixtures/opencode-home.ts";
import { testProgram } from "../../../fixtures/test-programs.ts";
import { apiKey, type BackendSetup, stubbornScript } from "../setup.ts";

const { path, unavailable } = testProgram("opencode");

export const opencode: BackendSetup = {
  name: "opencode",
  backend: "opencode",
  agent: ({ apiUrl }) => ({
    model: "marmot",
    command: [path],
    provider: { name: "scripted", base_url: `${apiUrl}/v1`, api_key: "$SCRIPTED_KEY" },
  }),
  env: ({ home }) => ({ SCRIPTED_KEY: apiKey, ...opencodeEnv(home) }),
  keyVariable: "SCRIPTED_KEY",
  stubborn: () => ({
    agent: { tools: ["bash"] },
    rules: [
      {
        offers: "bash",
        steps: [
          { calls: [{ tool: "bash", args: { command: `./${stubbornScript}`, description: "Wait" } }] },
          { text: "ok" },
        ],
      },
    ],
  }),
  userFiles: opencodeFiles,
  sessions: [".local/share/opencode"],
  lacks: {
    streaming: "reports text one message at a time",
    cost: "known for models in its own list or in agent-worker's price table; this one is in neither",
    usageLimit: "waits by itself; transient when it gives up",
    rateLimit: "waits by itself; transient when it gives up",
    permissionDenied: "does not offer the model tools that are not allowed",
  },
  // It takes seconds to start. Cases that are alike for all programs, such as ending a child, run with the others.
  brief: ["contextTools", "skills", "refusedTools", "userFiles"],
  timeoutMs: 90_000,
  ...(unavailable !== undefined && { unavailable }),
};
