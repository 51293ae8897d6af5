/**
 * Makes a bundle of each process in dist/, from which it starts twice as fast as from the sources. They are used only while
 * they are newer than every source, so they can be missing or old without harm.
 *
 * What only few turns need is a bundle apart, loaded by those alone: most of a worker's life is its start.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..");
const dist = join(root, "dist");

type Bundle = { name: string; entry: string; conditions?: string[] };

/**
 * Our own modules by their file, packages by their name; each is imported dynamically, or it would be loaded at once. A part
 * has its own copy of what it imports, so nothing that starts processes can be one: the worker must know all of them.
 */
const apart: (Bundle & { imported: RegExp })[] = [
  { name: "sdk", entry: "./src/worker/backends/sdk/sdk.ts", imported: /^\.\/sdk\/sdk\.ts$/ },
  { name: "serve", entry: "./src/worker/tools/serve.ts", imported: /\/serve\.ts$/ },
  { name: "mcp-client", entry: "@modelcontextprotocol/client", imported: /^@modelcontextprotocol\/client$/ },
  { name: "spec", entry: "./src/worker/spec.ts", imported: /^\.\.\/worker\/spec\.ts$/ },
];

/** In the order in which they are put in place; the command line's comes last, for it tells that all are there. */
const bundles: Bundle[] = [
  ...apart,
  { name: "worker", entry: "./src/processes/worker.ts" },
  // The condition keeps Node's JSON Schema validator, 300 KB that nothing here calls, out of the MCP library.
  { name: "daemon", entry: "./src/processes/daemon.ts", conditions: ["browser"] },
  { name: "command-line", entry: "./src/processes/command-line.ts" },
];

/** A part that is imported at the start of a file is no part of its own there. */
const leaveOut: Bun.BunPlugin = {
  name: "parts are bundles of their own",
  setup({ onResolve }) {
    for (const { name, imported } of apart) {
      onResolve({ filter: imported }, ({ kind }) =>
        kind === "dynamic-import" ? { path: `./${name}.js`, external: true } : undefined,
      );
    }
  },
};

mkdirSync(dist, { recursive: true });
const made = mkdtempSync(join(dist, ".new-"));
try {
  for (const bundle of bundles) await build(bundle);
  for (const { name } of bundles) {
    // The bytecode first: a bundle without it is only slower.
    for (const file of [`${name}.js.jsc`, `${name}.js`]) renameSync(join(made, file), join(dist, file));
    utimesSync(join(dist, `${name}.js`), new Date(), new Date());
  }
} finally {
  rmSync(made, { recursive: true, force: true });
}

async function build({ name, entry, conditions }: Bundle): Promise<void> {
  await Bun.build({
    entrypoints: [Bun.resolveSync(entry, root)],
    outdir: made,
    naming: `${name}.js`,
    target: "bun",
    format: "cjs",
    bytecode: true,
    minify: true,
    define: { BUNDLED: "true" },
    plugins: [leaveOut],
    ...(conditions && { conditions }),
  });
}
