/** A folder for the files that a program reads in one turn, deleted after the turn. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type PrivateFolder = AsyncDisposable & {
  path: string;
  /** Returns the path of the new file. */
  write(name: string, text: string): Promise<string>;
};

/** Created with mode 0700. */
export async function openPrivateFolder(): Promise<PrivateFolder> {
  const folder = await mkdtemp(join(tmpdir(), "agent-worker-"));
  return {
    path: folder,
    async write(name, text) {
      const path = join(folder, name);
      await writeFile(path, text, { mode: 0o600 });
      return path;
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
