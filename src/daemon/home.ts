/** The home folder as the daemon keeps it: private, and with `daemon.json` only while the daemon runs. */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DaemonFile } from "../protocol/discovery.ts";
import { homeFiles } from "../system/home.ts";

export function prepareHome(home: string): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  chmodSync(home, 0o700);
}

/** Written atomically, and never readable by other users. */
export function writeDaemonFile(home: string, file: DaemonFile): void {
  const path = join(home, homeFiles.daemon);
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(file)}\n`, { mode: 0o600 });
  renameSync(temporary, path);
}

/** Removes the file that this process wrote, but not one that another daemon has written since. */
export function removeDaemonFile(home: string): void {
  const path = join(home, homeFiles.daemon);
  try {
    if (DaemonFile.parse(JSON.parse(readFileSync(path, "utf8"))).pid === process.pid) rmSync(path);
  } catch {
    // Missing or unreadable: no client can use it.
  }
}
