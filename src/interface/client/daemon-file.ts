/** Reads `daemon.json` and checks that its daemon answers. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { homeFiles } from "../../system/home.ts";
import type { DaemonFile } from "../../protocol/discovery.ts";
import type { Health } from "../../protocol/http/health.ts";

/** A daemon that has answered. */
export type Daemon = { url: string; token: string; health: Health };

const healthDeadlineMs = 1_000;
const loopback = ["127.0.0.1", "::1", "localhost"];

/** The daemon of this home, or undefined when the file is missing, broken, stale or of another process. */
export async function findDaemon(home: string): Promise<Daemon | undefined> {
  const file = readDaemonFile(home);
  if (!file) return undefined;
  const url = `http://${file.host.includes(":") ? `[${file.host}]` : file.host}:${file.port}`;
  const health = await askHealth(url, file.token);
  // Another program may have the port by now.
  return health?.pid === file.pid ? { url, token: file.token, health } : undefined;
}

/** The content of the file, not checked with `/health`. */
export function readDaemonFile(home: string): DaemonFile | undefined {
  try {
    const file: unknown = JSON.parse(readFileSync(join(home, homeFiles.daemon), "utf8"));
    return isDaemonFile(file) && loopback.includes(file.host) ? file : undefined;
  } catch {
    // Missing, unreadable or half written: a daemon is then started or waited for.
    return undefined;
  }
}

async function askHealth(url: string, token: string): Promise<Health | undefined> {
  try {
    const response = await fetch(`${url}/health`, {
      headers: { authorization: `Bearer ${token}` },
      redirect: "error",
      signal: AbortSignal.timeout(healthDeadlineMs),
    });
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
