/** Command lines to start this program again as another of its processes: from the binary, the bundles or the sources. */
import { readdirSync, statSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import flags from "./bun-flags.txt" with { type: "text" };

/** Defined by `scripts/bundle`. In a bundle or the binary, `import.meta` is where the sources were at build time. */
declare const BUNDLED: true | undefined;
const isBundle = typeof BUNDLED !== "undefined";
/** The compiled binary contains its own sources. */
const isCompiled = Bun.main.startsWith("/$bunfs/") || Bun.main.includes("~BUN");

/** Each process has its own bundle, so that it loads only what it needs; the command line has another. */
const bundles = { worker: "worker.js", "daemon-process": "daemon.js" };
/** The bundle that is built last: if it exists, all do. */
const lastBundle = "command-line.js";

let bundleFolder: string | null | undefined;

/**
 * Argv of a Bun that loads nothing from the folder it is started in, its parents or the home folder: no `.env`,
 * `bunfig.toml` or `tsconfig.json`, and no automatic install of missing packages. `bin/runtime` uses the same flags.
 */
export const bun: [path: string, ...flags: string[]] = [process.execPath, ...flags.trim().split(" ")];

/** The flag that makes Bun ignore every `tsconfig.json` and `jsconfig.json`. */
const noAliases = "--tsconfig-override=";

/**
 * Argv of one of our own processes. A worker must start in `workerFolder`: it respects the `tsconfig.json` next to a
 * module of tools, so only its working directory prevents one with `paths` from replacing our own code.
 */
export function selfCommand(name: keyof typeof bundles, ...args: string[]): string[] {
  if (isCompiled) return [process.execPath, name, ...args];
  bundleFolder ??= isBundle ? dirname(Bun.main) : freshBundles(join(import.meta.dir, ".."));
  const entry = bundleFolder === null ? join(import.meta.dir, "../main.ts") : join(bundleFolder, bundles[name]);
  const isSafe = name === "worker" && (bundleFolder !== null || !isDependency);
  const runtime = isSafe ? bun.filter((flag) => !flag.startsWith(noAliases)) : bun;
  return [...runtime, entry, name, ...args];
}

/** The checkout, where the nearest `tsconfig.json` is ours; the binary reads none. */
export const workerFolder = isCompiled ? "/" : join(isBundle ? dirname(Bun.main) : dirname(import.meta.dir), "..");

/**
 * As a dependency without bundles, the packages that we import are next to this one: the `tsconfig.json` of the project
 * above them would apply to their imports.
 */
const isDependency = workerFolder.includes(`${sep}node_modules${sep}`);

/** The bundles that `scripts/install` built start twice as fast; they are used only if no source is newer. */
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
