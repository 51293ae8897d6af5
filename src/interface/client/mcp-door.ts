/** The daemon's MCP door as commands reach it: as the turn whose secret is in the environment, or as a client. */
import { AppError } from "../../protocol/error.ts";
import { type McpMessage, postMcp } from "../../mcp/request.ts";
import { turnVariables } from "../../protocol/worker/turn-environment.ts";
import type { Daemon } from "./daemon-file.ts";
import { ensureDaemon } from "./discover.ts";
import type { Session } from "../command-line/session.ts";
import { wasRefused } from "./transport.ts";

export type McpDoor = {
  /** Whose voice it is. */
  who: "turn" | "client";
  /** The daemon's answer, whatever it is; throws when there is none. */
  post(message: McpMessage, signal: AbortSignal, negotiated?: string): Promise<Response>;
};

/** A daemon that was replaced is looked for so often. */
const mostTries = 3;
/** A turn's secret is shown to this machine's daemon and to nobody else. */
const ownDoor = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\]):\d{1,5}\/mcp$/;

export async function openMcpDoor(session: Session): Promise<McpDoor> {
  return turnDoor(session.env) ?? (await clientDoor(session));
}

/** The turn that the environment names, or undefined when it names none. */
export function turnDoor(env: Record<string, string>): McpDoor | undefined {
  const { [turnVariables.url]: url, [turnVariables.token]: token } = env;
  if (!url && !token) return undefined;
  if (!url || !token) {
    throw new AppError("usage", `${turnVariables.url} and ${turnVariables.token} belong together, and one is not set`, {
      hint: "an agent's tools are given both",
    });
  }
  if (!ownDoor.test(url)) {
    throw new AppError("usage", `${turnVariables.url} is not the MCP door of a daemon on this machine`, {
      hint: "it looks like http://127.0.0.1:<port>/mcp",
    });
  }
  return { who: "turn", post: (message, signal, negotiated) => postMcp(url, token, message, signal, negotiated) };
}

async function clientDoor({ home, env, output }: Session): Promise<McpDoor> {
  const find = () => ensureDaemon({ home, env, announce: (text) => output.note(text) });
  let daemon: Daemon = await find();
  return {
    who: "client",
    async post(message, signal, negotiated) {
      for (let tries = 1; ; tries++) {
        const asked = daemon;
        const response = await postMcp(`${asked.url}/mcp`, asked.token, message, signal, negotiated).catch(
          (error: unknown) => {
            if (tries >= mostTries || !wasRefused(error)) throw error;
            return undefined;
          },
        );
        // Another daemon has taken its place, with a token of its own: what was asked has not been done.
        const isReplaced = response === undefined || response.status === 401 || response.status === 503;
        if (!isReplaced || tries >= mostTries) return response ?? Response.error();
        await response?.body?.cancel();
        if (daemon === asked) daemon = await find();
      }
    },
  };
}
