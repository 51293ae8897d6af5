/** Codex on the suite's stage. */
import { testProgram } from "../../../fixtures/test-programs.ts";
import { apiKey, type BackendSetup, stubbornScript } from "../setup.ts";

const { path, unavailable } = testProgram("codex");

export const codex: BackendSetup = {
  name: "codex",
  backend: "codex",
  agent: ({ apiUrl }) => ({
    model: "gpt-5",
    command: [path],
    provider: { name: "openai", base_url: `${apiUrl}/v1`, api_key: "$SCRIPTED_KEY" },
  }),
  env: () => ({ SCRIPTED_KEY: apiKey }),
  keyVariable: "SCRIPTED_KEY",
  stubborn: ({ folder }) => ({ agent: { command: [`${folder}/${stubbornScript}`] }, rules: [] }),
  userFiles: { ".codex/config.toml": 'model = "gpt-4"\n' },
  sessions: [".codex/sessions"],
  // test/e2e/programs.test.ts shows how it hands over to others.
  brief: [
    "systemPrompt",
    "toolEvents",
    "contextTools",
    "ownTools",
    "skills",
    "thread",
    "lostThread",
    "usage",
    "cost",
    "badKey",
    "missingKey",
    "refusedTools",
    "stepLimit",
    "cancellation",
    "stubbornChild",
    "argv",
    "userFiles",
  ],
  lacks: {
    streaming: "tells its text by the message",
    rateLimit: "waits by itself and does not say how long; transient",
    usageLimit: "does not say when a limit ends",
    systemPromptArgv: "its instructions have no other way in; those of more than 100 kB go before the prompt",
    permissionDenied: "tells the model alone what its sandbox refused",
  },
  ...(unavailable !== undefined && { unavailable }),
};
