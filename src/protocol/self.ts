/** How this program starts itself again, as another of its processes. */

export const version = "0.1.0";

/** Whether this is the compiled binary, which carries its own sources. */
const compiled = import.meta.url.includes("/$bunfs/") || import.meta.url.includes("/~BUN/");

/** Argv for one of our own processes. Bun would run the current folder's `.env` and `bunfig.toml`; the flags forbid it. */
export function selfCommand(...args: string[]): string[] {
  if (compiled) return [process.execPath, ...args];
  const main = Bun.fileURLToPath(new URL("../main.ts", import.meta.url));
  return [process.execPath, "--no-env-file", "--config=/dev/null", main, ...args];
}
