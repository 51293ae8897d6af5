/** Inside an agent's turn, the commands of people are refused: they would act for a person, and in a home of their own. */
import { AppError } from "../../protocol/error.ts";
import { turnVariables } from "../../protocol/worker/turn-environment.ts";

type Variables = Record<string, string | undefined>;

/** Those that act as the agent whose turn it is. */
const commandsOfAgents = ["context", "mcp"];

/** Without a command: whatever a program is about to ask a daemon for. */
export function refuseInsideTurn(env: Variables, command?: string): void {
  if (!env[turnVariables.token] || (command !== undefined && commandsOfAgents.includes(command))) return;
  const what = command === undefined ? "no daemon is looked for" : `'${command}' is for people`;
  throw new AppError("usage", `you are inside an agent's turn, where ${what}`, {
    hint: "use agent-worker context send, read, inbox, doc, agents, …: agent-worker context --help",
  });
}
