/** The home folder as the daemon keeps it: private, and telling where the daemon is only while it is there. */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DaemonFile } from "../protocol/discovery.ts";
import { homeFiles } from "../system/home.ts";

export function prepareHome(home: string): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  chmodSync(home, 0o700);
}

/** Written whole or not at all, and readable by nobody else at any moment. */
export function writeDaemonFile(home: string, file: DaemonFile): void {
  const path = join(home, homeFiles.daemon);
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(file)}\n`, { mode: 0o600 });
  renameSync(temporary, path);
}

/** Removes what this process wrote, and nothing that another one has written since. */
export function removeDaemonFile(home: string): void {
  const path = join(home, homeFiles.daemon);
  try {
    if (DaemonFile.parse(JSON.parse(readFileSync(path, "utf8"))).pid === process.pid) rmSync(path);
  } catch {
    // Gone or unreadable: then it misleads nobody.
  }
}
