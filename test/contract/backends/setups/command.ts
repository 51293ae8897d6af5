/** The setup of the backend `command`: a program that calls the scripted API itself. */
import { join } from "node:path";
import { bun } from "../../../../src/system/self.ts";
import { apiKey, type BackendSetup, stubbornScript } from "../setup.ts";

const stub = join(import.meta.dir, "../../../fixtures/cursor-agent.ts");

export const command: BackendSetup = {
  name: "command",
  backend: "command",
  agent: ({ apiUrl }) => ({
    command: [...bun, stub, "--plain"],
    provider: { name: "cursor", api_key: "$SCRIPTED_KEY" },
    env: { STUB_API_URL: apiUrl },
  }),
  env: () => ({ SCRIPTED_KEY: apiKey }),
  keyVariable: "SCRIPTED_KEY",
  stubborn: ({ folder }) => ({ agent: { command: [`${folder}/${stubbornScript}`] }, rules: [] }),
  userFiles: { ".config/any.json": "{}\n" },
  lacks: {
    skills: "the prompt lists them, and the tool `skill`, offered over MCP, loads them",
    thread: "turns are independent",
    lostThread: "turns are independent",
    streaming: "text is reported as the program prints it; this one prints once",
    toolEvents: "agent-worker does not see its tool calls",
    ownTools: "they are offered over MCP; this program uses only the daemon's tools",
    usage: "does not report it",
    cost: "does not report it",
    rateLimit: "an exit code cannot carry a time",
    usageLimit: "an exit code cannot carry a time",
    cutStream: "this program does not stream",
    permissionDenied: "agent-worker does not see its permissions",
    stepLimit: "agent-worker does not see its steps",
  },
};
