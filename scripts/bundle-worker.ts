/**
 * Bundles the worker in two parts: itself, and the sdk backend with the packages it stands on. Most of a worker's life is
 * its start, and a worker of another backend should not pay for code that it never loads.
 */
import { join } from "node:path";

const sources = join(import.meta.dir, "../src");
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("bundle-worker.ts <folder>");

const shared = {
  outdir: folder,
  target: "bun",
  format: "cjs",
  bytecode: true,
  minify: true,
  define: { BUNDLED: "true" },
} as const;

const apart: Bun.BunPlugin = {
  name: "the sdk backend is a bundle of its own",
  setup(build) {
    build.onResolve({ filter: /^\.\/sdk\.ts$/ }, () => ({ path: "./sdk.js", external: true }));
  },
};

await Bun.build({
  ...shared,
  entrypoints: [join(sources, "processes/worker.ts")],
  plugins: [apart],
  // For acp agents, and for programs that are served tools: loaded by the turns that need them.
  external: ["@agentclientprotocol/sdk", "@modelcontextprotocol/server"],
});
await Bun.build({ ...shared, entrypoints: [join(sources, "worker/backends/sdk.ts")] });
