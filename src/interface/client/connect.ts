/** Connects a client to the daemon of a home: finds or starts it, and finds it again after a lost connection. */
import { AppError } from "../../protocol/error.ts";
import type { Origin } from "../../protocol/http/origin.ts";
import { Client } from "./client.ts";
import { readDaemonFile } from "./daemon-file.ts";
import { type DiscoverOptions, ensureDaemon } from "./discover.ts";
import { Transport } from "./transport.ts";

export async function connectClient(discovery: DiscoverOptions, origin: Origin): Promise<Client> {
  const transport = new Transport(await ensureDaemon(discovery), () => {
    // A daemon that crashed leaves its file behind and is started again; one that was stopped stays stopped.
    if (!readDaemonFile(discovery.home)) throw stopped();
    return ensureDaemon(discovery);
  });
  return new Client(transport, origin);
}

function stopped(): AppError {
  return new AppError("daemon-unreachable", "the daemon was stopped; its work is saved", {
    hint: "any command starts it again, and work resumes: agent-worker ls",
  });
}
