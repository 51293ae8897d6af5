/** The setup of Codex. */
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
  // test/e2e/programs.test.ts shows how it hands off to others.
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
    streaming: "reports text one message at a time",
    rateLimit: "waits by itself and does not report how long; transient",
    usageLimit: "does not report when a limit ends",
    systemPromptArgv: "it accepts instructions only as an argument; those over 100 kB are put before the prompt",
    permissionDenied: "reports only to the model what its sandbox denied",
  },
  ...(unavailable !== undefined && { unavailable }),
};
