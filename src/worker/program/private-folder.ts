/** A folder of this turn alone, for what a program reads from a file; gone with the turn. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type PrivateFolder = AsyncDisposable & {
  path: string;
  /** Gives the path of the new file. */
  write(name: string, text: string): Promise<string>;
};

/** Made with mode 0700. */
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
