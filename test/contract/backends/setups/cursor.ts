/** Cursor on the suite's stage: a stub that speaks as it does, for the program itself is in no registry. */
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
      "it looks in the project and the home folder alone; those elsewhere are told in the prompt, and the tool skill loads them",
    thread: "each turn is on its own",
    lostThread: "each turn is on its own",
    ownTools: "the stub knows one server",
    streaming: "tells its text by the message",
    usage: "does not tell",
    cost: "does not tell",
    cutStream: "the stub does not stream",
    rateLimit: "does not say how long; transient",
    usageLimit: "does not say when a limit ends",
    permissionDenied: "tells the model alone",
  },
};
