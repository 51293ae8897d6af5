/** `mcp`: the daemon's MCP server over stdio, for clients that start a command. */
import { AppError } from "../../protocol/error.ts";
import { LineTooLong } from "../../system/lines.ts";
import { defineCommand } from "../command-line/command.ts";
import { bridgeMcp } from "../client/mcp-bridge.ts";
import { openMcpConnection } from "../client/mcp-connection.ts";
import { writeOut } from "../render/write.ts";

export const command = defineCommand({
  arguments: {},
  options: {},
  details:
    "Speaks the Model Context Protocol on stdin and stdout until stdin is closed. Starts the daemon if needed. " +
    "Acts as you and offers the management tools. If an agent's program starts it, it acts as that agent until the turn ends.",
  examples: [
    ["claude mcp add agent-worker -- agent-worker mcp", "let Claude Code manage your agents"],
    [
      '{ "mcpServers": { "agent-worker": { "command": "agent-worker", "args": ["mcp"] } } }',
      "the same in a configuration file",
    ],
  ],
  async run({ session }) {
    const { output } = session;
    const connection = await openMcpConnection(session);
    if (process.getBuiltinModule("node:tty").isatty(0)) {
      output.note(
        "waiting for MCP messages on stdin, one per line; this command is meant to be started by an MCP client",
      );
    }
    const bridge = {
      connection,
      input: Bun.stdin.stream(),
      write: (line: string) => writeOut(`${line}\n`),
      warn: output.warn,
    };
    await bridgeMcp(bridge).catch((cause: unknown) => {
      throw cause instanceof LineTooLong ? new AppError("too-large", cause.message, { cause }) : cause;
    });
  },
});
