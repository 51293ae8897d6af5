/** A command's connection to the daemon's MCP server: as the turn whose token is in the environment, or as a client. */
import { AppError } from "../../protocol/error.ts";
import { type McpMessage, mcpPost, postMcp } from "../../mcp/request.ts";
import { turnVariables } from "../../protocol/worker/turn-environment.ts";
import { ensureDaemon } from "./discover.ts";
import { type DaemonAddress, fetchDaemon, isConnectionRefused } from "./fetch-daemon.ts";
import type { Session } from "../command-line/session.ts";
import { isFromReplaced, refusalOf } from "./transport.ts";

export type McpConnection = {
  /** How the daemon identifies the caller. */
  who: "turn" | "client";
  /** Returns the daemon's response, errors too; throws when there is none. */
  post(message: McpMessage, signal: AbortSignal, negotiated?: string): Promise<Response>;
};

/** Attempts to reach a daemon that was replaced. */
const maxTries = 3;
/** A turn's token is only sent to a daemon on this machine. */
const localUrl = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\]):\d{1,5}\/mcp$/;

export async function openMcpConnection(session: Session): Promise<McpConnection> {
  return turnConnection(session.env) ?? (await clientConnection(session));
}

/** The connection of the turn in the environment, or undefined when there is none. */
export function turnConnection(env: Record<string, string>): McpConnection | undefined {
  const { [turnVariables.url]: url, [turnVariables.token]: token } = env;
  if (!url && !token) return undefined;
  if (!url || !token) {
    throw new AppError("usage", `only one of ${turnVariables.url} and ${turnVariables.token} is set`, {
      hint: "an agent's tools get both",
    });
  }
  if (!localUrl.test(url)) {
    throw new AppError("usage", `${turnVariables.url} is not the MCP address of a daemon on this machine`, {
      hint: "it looks like http://127.0.0.1:<port>/mcp",
    });
  }
  return { who: "turn", post: (message, signal, negotiated) => postMcp(url, token, message, signal, negotiated) };
}

async function clientConnection({ home, env, output }: Session): Promise<McpConnection> {
  const find = () => ensureDaemon({ home, env, announce: (text) => output.note(text) });
  let daemon: DaemonAddress = await find();
  return {
    who: "client",
    async post(message, signal, negotiated) {
      for (let tries = 1; ; tries++) {
        const current = daemon;
        const response = await fetchDaemon(current, "/mcp", mcpPost(message, signal, negotiated)).catch(
          (error: unknown) => {
            if (tries >= maxTries || !isConnectionRefused(error)) throw error;
            return undefined;
          },
        );
        const isReplaced = response === undefined || (await isRefusedByReplaced(response));
        if (!isReplaced || tries >= maxTries) return response ?? Response.error();
        await response?.body?.cancel();
        if (daemon === current) daemon = await find();
      }
    },
  };
}

/** Leaves the body of the response unread. Other errors, such as an unavailable store, are for the caller. */
async function isRefusedByReplaced(response: Response): Promise<boolean> {
  if (response.status !== 401 && response.status !== 503) return false;
  return isFromReplaced(refusalOf(response.status, await response.clone().text()));
}
