/** How this program starts itself again, as another of its processes: from the binary, the bundle or the sources. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Said by `scripts/bundle`. There and in the binary, `import.meta` names where the sources were when it was built. */
declare const BUNDLED: true | undefined;
const isBundle = typeof BUNDLED !== "undefined";
/** The compiled binary carries its own sources. */
const isCompiled = Bun.main.startsWith("/$bunfs/") || Bun.main.includes("~BUN");

const bundleName = "/dist/main.js";
let entry: string | undefined;

/**
 * Argv for one of our own processes. Bun would run the current folder's `.env` and `bunfig.toml`, and fetch packages that
 * a module of tools lacks; the flags forbid it.
 */
export function selfCommand(...args: string[]): string[] {
  if (isCompiled) return [process.execPath, ...args];
  entry ??= isBundle ? Bun.main : chooseEntry(join(import.meta.dir, ".."));
  const main = args[0] === "worker" ? workerEntry(entry) : entry;
  return [process.execPath, "--no-env-file", "--config=/dev/null", "--no-install", main, ...args];
}

/** Workers have a bundle of their own, which is smaller. */
function workerEntry(main: string): string {
  return main.endsWith(bundleName) ? join(main, "..", "worker.js") : main;
}

/** The bundle that `scripts/install` made starts twice as fast; it counts only while no source is newer. */
function chooseEntry(sources: string): string {
  const bundle = join(sources, "..", bundleName);
  const builtAt = statSync(bundle, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const isFresh = builtAt > 0 && sourceFiles(sources).every((file) => statSync(file).mtimeMs < builtAt);
  return isFresh ? bundle : join(sources, "main.ts");
}

function sourceFiles(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((file) => file.isFile() && !file.name.endsWith(".test.ts"))
    .map((file) => join(file.parentPath, file.name));
}
