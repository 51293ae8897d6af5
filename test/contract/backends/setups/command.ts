/** Any program on the suite's stage: one that asks the scripted API itself. */
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
    skills: "told in the prompt; the tool skill, which it is served, loads them",
    thread: "each turn is on its own",
    lostThread: "each turn is on its own",
    streaming: "its text is told as it prints it; this one prints once",
    toolEvents: "what it does is its own",
    ownTools: "they are served to it; this one knows the daemon's alone",
    usage: "does not tell",
    cost: "does not tell",
    rateLimit: "an exit code says nothing about time",
    usageLimit: "an exit code says nothing about time",
    cutStream: "this one does not stream",
    permissionDenied: "its permissions are its own",
    stepLimit: "its steps are its own",
  },
};
