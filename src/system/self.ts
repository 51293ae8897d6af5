/** How this program starts itself again, as another of its processes: from the binary, the bundles or the sources. */
import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import flags from "./bun-flags.txt" with { type: "text" };

/** Said by `scripts/bundle`. There and in the binary, `import.meta` names where the sources were when it was built. */
declare const BUNDLED: true | undefined;
const isBundle = typeof BUNDLED !== "undefined";
/** The compiled binary carries its own sources. */
const isCompiled = Bun.main.startsWith("/$bunfs/") || Bun.main.includes("~BUN");

/** Each process has a bundle of its own, so that it loads nothing that it does not need; one more is the command line's. */
const bundles = { worker: "worker.js", "daemon-process": "daemon.js" };
/** The bundle that is made last: it tells that all are there. */
const lastBundle = "command-line.js";

let bundleFolder: string | null | undefined;

/**
 * Argv of a Bun that runs nothing of the folder it is started in, of its parents or of the home: no `.env`, `bunfig.toml`
 * or `tsconfig.json`, and no package that is fetched because it is missing. `bin/runtime` reads the same flags.
 */
export const bun: [path: string, ...flags: string[]] = [process.execPath, ...flags.trim().split(" ")];

/** The flag that makes Bun ignore every `tsconfig.json` and `jsconfig.json`. */
const noAliases = "--tsconfig-override=";

/**
 * Argv of one of our own processes. A worker has to start in `workerFolder`: it honours the `tsconfig.json` beside a
 * module of tools, so nothing but its folder keeps one with `paths` from replacing our own code.
 */
export function selfCommand(name: keyof typeof bundles, ...args: string[]): string[] {
  if (isCompiled) return [process.execPath, name, ...args];
  bundleFolder ??= isBundle ? dirname(Bun.main) : freshBundles(join(import.meta.dir, ".."));
  const entry = bundleFolder === null ? join(import.meta.dir, "../main.ts") : join(bundleFolder, bundles[name]);
  const runtime = name === "worker" ? bun.filter((flag) => !flag.startsWith(noAliases)) : bun;
  return [...runtime, entry, name, ...args];
}

/** The checkout, whose own `tsconfig.json` is the nearest there; the binary reads none anywhere. */
export const workerFolder = isCompiled ? "/" : join(isBundle ? dirname(Bun.main) : dirname(import.meta.dir), "..");

/** The bundles that `scripts/install` made start twice as fast; they count only while no source is newer. */
function freshBundles(sources: string): string | null {
  const folder = join(sources, "../dist");
  const builtAt = statSync(join(folder, lastBundle), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const isFresh = builtAt > 0 && sourceFiles(sources).every((file) => statSync(file).mtimeMs < builtAt);
  return isFresh ? folder : null;
}

function sourceFiles(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((file) => file.isFile() && !file.name.endsWith(".test.ts"))
    .map((file) => join(file.parentPath, file.name));
}
