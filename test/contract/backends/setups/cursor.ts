/** The setup of Cursor: a stub with the same interface, because the program itself is not on npm. */
import { join } from "node:path";
import { bun } from "../../../../src/system/self.ts";
import { apiKey, type BackendSetup, stubbornScript } from "../setup.ts";

const stub = join(import.meta.dir, "../../../fixtures/cursor-agent.ts");

export const cursor: BackendSetup = {
  name: "cursor",
  backend: "cursor",
  agent: ({ apiUrl }) => ({
    model: "stub",
    command: [...bun, stub],
    provider: { name: "cursor", api_key: "$SCRIPTED_KEY" },
    env: { STUB_API_URL: apiUrl },
  }),
  env: () => ({ SCRIPTED_KEY: apiKey }),
  keyVariable: "SCRIPTED_KEY",
  stubborn: ({ folder }) => ({ agent: { command: [`${folder}/${stubbornScript}`] }, rules: [] }),
  userFiles: { ".cursor/mcp.json": '{ "mcpServers": { "mine": { "url": "https://mine.test" } } }' },
  lacks: {
    skills:
      "it looks only in the project and the home folder; the prompt lists all others, and the tool `skill` loads them",
    thread: "turns are independent",
    lostThread: "turns are independent",
    ownTools: "the stub supports one MCP server",
    streaming: "reports text one message at a time",
    usage: "does not report it",
    cost: "does not report it",
    cutStream: "the stub does not stream",
    rateLimit: "does not report how long; transient",
    usageLimit: "does not report when a limit ends",
    permissionDenied: "reports it only to the model",
  },
};
