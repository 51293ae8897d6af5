/** The setup of Claude Code. */
import { testProgram } from "../../../fixtures/test-programs.ts";
import { apiKey, type BackendSetup, stubbornScript } from "../setup.ts";

const { path, unavailable } = testProgram("claude");

export const claude: BackendSetup = {
  name: "claude",
  backend: "claude",
  agent: ({ apiUrl }) => ({
    model: "claude-sonnet-4-5",
    command: [path],
    provider: { name: "anthropic", base_url: apiUrl, api_key: "$SCRIPTED_KEY" },
  }),
  // One retry is enough to test its retries, and faster.
  env: () => ({ SCRIPTED_KEY: apiKey, CLAUDE_CODE_MAX_RETRIES: "1" }),
  keyVariable: "SCRIPTED_KEY",
  stubborn: () => ({
    agent: { tools: ["bash"] },
    rules: [{ steps: [{ calls: [{ tool: "Bash", args: { command: `./${stubbornScript}` } }] }, { text: "ok" }] }],
  }),
  denied: () => ({
    agent: {},
    rules: [{ steps: [{ calls: [{ tool: "Bash", args: { command: "touch made" } }] }, { text: "Done." }] }],
  }),
  userFiles: {
    ".claude/settings.json": '{\n  "permissions": { "deny": ["WebFetch"] }\n}\n',
    ".claude/CLAUDE.md": "Be brief.\n",
  },
  sessions: [".claude/projects"],
  // test/e2e/programs.test.ts shows how it hands off to others.
  brief: [
    "systemPrompt",
    "streaming",
    "contextTools",
    "ownTools",
    "skills",
    "thread",
    "lostThread",
    "usage",
    "cost",
    "badKey",
    "missingKey",
    "unreachable",
    "refusedTools",
    "permissionDenied",
    "stepLimit",
    "cancellation",
    "stubbornChild",
    "argv",
    "systemPromptArgv",
    "userFiles",
  ],
  lacks: {
    cutStream: "retries by itself, without streaming",
    usageLimit: "reports when a subscription's limit ends, but not when a key's limit ends",
  },
  ...(unavailable !== undefined && { unavailable }),
};
