/**
 * Builds a bundle of each process in dist/, from which it starts twice as fast as from the sources. Bundles are used only
 * if they are newer than every source, so it does no harm if they are missing or old.
 *
 * Code that only a few turns need is in separate bundles, which only those turns load: a worker's start must be fast.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..");
const dist = join(root, "dist");

type Bundle = { name: string; entry: string; conditions?: string[] };

/**
 * Bundles that are loaded on demand: our own modules by file, packages by name. Each must be imported dynamically. A
 * bundle has its own copy of what it imports, so a module that starts processes must not be one: the worker keeps track
 * of all processes.
 */
const loadedOnDemand: (Bundle & { imported: RegExp })[] = [
  { name: "sdk", entry: "./src/worker/backends/sdk/sdk.ts", imported: /^\.\/sdk\/sdk\.ts$/ },
  { name: "serve", entry: "./src/worker/tools/serve.ts", imported: /\/serve\.ts$/ },
  { name: "mcp-client", entry: "@modelcontextprotocol/client", imported: /^@modelcontextprotocol\/client$/ },
  { name: "spec", entry: "./src/worker/spec.ts", imported: /^\.\.\/worker\/spec\.ts$/ },
];

/** In the order in which they are moved to dist/; the command line's is last: if it exists, all do. */
const bundles: Bundle[] = [
  ...loadedOnDemand,
  { name: "worker", entry: "./src/processes/worker.ts" },
  // The condition excludes the MCP library's JSON Schema validator for Node, 300 KB that we do not use.
  { name: "daemon", entry: "./src/processes/daemon.ts", conditions: ["browser"] },
  { name: "command-line", entry: "./src/processes/command-line.ts" },
];

/** Only dynamic imports are replaced: a static import becomes part of the importing bundle. */
const importBundles: Bun.BunPlugin = {
  name: "import on-demand bundles",
  setup({ onResolve }) {
    for (const { name, imported } of loadedOnDemand) {
      onResolve({ filter: imported }, ({ kind }) =>
        kind === "dynamic-import" ? { path: `./${name}.js`, external: true } : undefined,
      );
    }
  },
};

mkdirSync(dist, { recursive: true });
const staging = mkdtempSync(join(dist, ".new-"));
try {
  for (const bundle of bundles) await build(bundle);
  for (const { name } of bundles) {
    // The bytecode first: a bundle without it works, but starts more slowly.
    for (const file of [`${name}.js.jsc`, `${name}.js`]) renameSync(join(staging, file), join(dist, file));
    utimesSync(join(dist, `${name}.js`), new Date(), new Date());
  }
} finally {
  rmSync(staging, { recursive: true, force: true });
}

async function build({ name, entry, conditions }: Bundle): Promise<void> {
  await Bun.build({
    entrypoints: [Bun.resolveSync(entry, root)],
    outdir: staging,
    naming: `${name}.js`,
    target: "bun",
    format: "cjs",
    bytecode: true,
    minify: true,
    define: { BUNDLED: "true" },
    plugins: [importBundles],
    ...(conditions && { conditions }),
  });
}
