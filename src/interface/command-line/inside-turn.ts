/** Refuses user commands inside an agent's turn: they would act as the user, and with a different home. */
import { AppError } from "../../protocol/error.ts";
import { turnVariables } from "../../protocol/worker/turn-environment.ts";

type Variables = Record<string, string | undefined>;

/** Commands that act as the agent whose turn it is. */
const agentCommands = ["context", "mcp"];

/** `command` is undefined for programs that use the TypeScript API. */
export function refuseInsideTurn(env: Variables, command?: string): void {
  if (!env[turnVariables.token] || (command !== undefined && agentCommands.includes(command))) return;
  const what = command === undefined ? "the TypeScript API" : `'${command}'`;
  throw new AppError("usage", `${what} cannot be used inside an agent's turn`, {
    hint: "use agent-worker context send, read, inbox, doc, …; agent-worker context --help lists them all",
  });
}
