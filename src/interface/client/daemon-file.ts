/** Reads `daemon.json` and checks that its daemon answers on the socket next to it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../protocol/error.ts";
import { homeFiles, homeProblem } from "../../system/home.ts";
import type { DaemonFile } from "../../protocol/discovery.ts";
import type { Health } from "../../protocol/http/health.ts";
import { type DaemonAddress, fetchDaemon } from "./fetch-daemon.ts";

/** A daemon that has answered. The URL is for other programs: the client only uses the socket. */
export type Daemon = DaemonAddress & { url: string; health: Health };

const healthDeadlineMs = 1_000;

/** The daemon of this home, or undefined when the file is missing, broken or stale. Throws if the home is not private. */
export async function findDaemon(home: string): Promise<Daemon | undefined> {
  requirePrivateHome(home);
  const file = readDaemonFile(home);
  if (!file) return undefined;
  const address = { socket: join(home, homeFiles.socket), token: file.token };
  const health = await askHealth(address);
  return health && { ...address, url: `http://${file.host}:${file.port}`, health };
}

/** Where other users can create files, one of them could listen on the socket. */
export function requirePrivateHome(home: string): void {
  const problem = homeProblem(home);
  if (problem) {
    throw new AppError("daemon-unreachable", problem.message, {
      hint: `${problem.fix}, or choose another home with --home or AGENT_WORKER_HOME`,
    });
  }
}

/** The content of the file, which can be outdated. */
export function readDaemonFile(home: string): DaemonFile | undefined {
  try {
    const file: unknown = JSON.parse(readFileSync(join(home, homeFiles.daemon), "utf8"));
    return isDaemonFile(file) ? file : undefined;
  } catch {
    // Missing, unreadable or half written: a daemon is then started or waited for.
    return undefined;
  }
}

async function askHealth(address: DaemonAddress): Promise<Health | undefined> {
  try {
    const response = await fetchDaemon(address, "/health", { signal: AbortSignal.timeout(healthDeadlineMs) });
    const answer: unknown = response.ok ? await response.json() : undefined;
    return isHealth(answer) ? answer : undefined;
  } catch {
    // Connection refused, no answer, or another protocol: there is no daemon.
    return undefined;
  }
}

/** Checked by hand, because the schema library takes longer to load than the command takes to run. */
function isDaemonFile(value: unknown): value is DaemonFile {
  return (
    isRecord(value) &&
    Number.isInteger(value.pid) &&
    Number.isInteger(value.port) &&
    typeof value.host === "string" &&
    typeof value.token === "string" &&
    typeof value.version === "string"
  );
}

function isHealth(value: unknown): value is Health {
  return (
    isRecord(value) &&
    Number.isInteger(value.pid) &&
    typeof value.version === "string" &&
    Number.isInteger(value.running) &&
    Number.isInteger(value.turns)
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
