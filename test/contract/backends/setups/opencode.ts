/** OpenCode on the suite's stage. */
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
    streaming: "tells its text by the message",
    cost: "known for models of its own list or of our table of prices; this one is in neither",
    usageLimit: "waits by itself; transient when it gives up",
    rateLimit: "waits by itself; transient when it gives up",
    permissionDenied: "does not offer its model what is not allowed",
  },
  // A start takes it seconds. What it does as every program does, such as being ended, the others show.
  brief: ["contextTools", "skills", "refusedTools", "userFiles"],
  timeoutMs: 90_000,
  ...(unavailable !== undefined && { unavailable }),
};
