/** Checks which part of the program imports which: the tiers, the daemon's layers, and third-party packages. */
import { type Import, importsOf, isTest, type Sources } from "./sources.ts";

/** `types`: of these, it can import types only. */
type Layer = { path: string; imports: string[]; types?: string[]; never?: string[] };

const shared = ["src/protocol/", "src/system/", "src/text/", "src/mcp/", "src/workflow/"];
/** For code that reads and writes files next to the store. */
const storeTypes = ["src/daemon/store/store.ts", "src/daemon/store/data.ts"];

/** The HTTP and MCP APIs call only the kernel functions in `operations.ts`, not the store or other kernel parts. */
const api = {
  imports: ["src/daemon/kernel/operations.ts", ...shared],
  types: ["src/daemon/kernel/"],
  never: ["src/daemon/kernel/kernel.ts"],
};

/** A file belongs to the first layer whose path matches. A layer can always import itself. */
const layers: Layer[] = [
  { path: "src/main.ts", imports: ["src/processes/"] },
  {
    path: "src/processes/",
    imports: ["src/protocol/", "src/system/", "src/interface/", "src/daemon/", "src/worker/"],
  },
  { path: "src/index.ts", imports: ["src/interface/", ...shared] },
  { path: "src/protocol/", imports: [] },
  { path: "src/text/", imports: ["src/protocol/"] },
  { path: "src/system/", imports: ["src/protocol/", "src/text/"] },
  { path: "src/mcp/", imports: ["src/protocol/", "src/system/", "src/text/"] },
  { path: "src/workflow/", imports: ["src/protocol/", "src/system/", "src/text/"] },
  { path: "src/skills/", imports: ["src/protocol/", "src/system/", "src/text/"] },
  { path: "src/interface/", imports: [...shared, "src/skills/"] },
  { path: "src/worker/", imports: [...shared, "src/skills/"] },
  { path: "src/daemon/daemon.ts", imports: ["src/daemon/", ...shared] },
  { path: "src/daemon/http/", ...api },
  { path: "src/daemon/mcp/", ...api },
  {
    path: "src/daemon/kernel/",
    imports: ["src/daemon/store/", "src/daemon/process/", "src/daemon/documents/", "src/daemon/projection/", ...shared],
    never: ["src/daemon/store/sqlite/"],
  },
  { path: "src/daemon/store/", imports: shared },
  { path: "src/daemon/documents/", imports: shared, types: storeTypes },
  { path: "src/daemon/projection/", imports: ["src/daemon/documents/", ...shared], types: storeTypes },
  { path: "src/daemon/process/", imports: shared },
  { path: "src/daemon/", imports: shared, never: ["src/daemon/http/", "src/daemon/mcp/"] },
];

/** `inOneFile`: in each of these places, only one file can import it. */
type Package = { name: string; places: string[]; inOneFile?: boolean };

/** Every package that the program can import, and where. */
const packages: Package[] = [
  { name: "zod", places: ["src/"] },
  { name: "yaml", places: ["src/workflow/"] },
  { name: "croner", places: ["src/workflow/"], inOneFile: true },
  { name: "@marcbachmann/cel-js", places: ["src/workflow/"], inOneFile: true },
  { name: "commander", places: ["src/interface/"] },
  { name: "diff", places: ["src/interface/render/"], inOneFile: true },
  { name: "eventsource-parser", places: ["src/system/"], inOneFile: true },
  { name: "hono", places: ["src/daemon/http/"] },
  { name: "@modelcontextprotocol/server", places: ["src/daemon/mcp/", "src/worker/tools/"], inOneFile: true },
  { name: "@modelcontextprotocol/client", places: ["src/worker/tools/"], inOneFile: true },
  { name: "@agentclientprotocol/sdk", places: ["src/worker/backends/"], inOneFile: true },
  { name: "ai", places: ["src/worker/backends/sdk"] },
  { name: "@ai-sdk/anthropic", places: ["src/worker/backends/sdk/"], inOneFile: true },
  { name: "@ai-sdk/openai", places: ["src/worker/backends/sdk/"], inOneFile: true },
  { name: "@ai-sdk/google", places: ["src/worker/backends/sdk/"], inOneFile: true },
  { name: "@ai-sdk/deepseek", places: ["src/worker/backends/sdk/"], inOneFile: true },
  { name: "@ai-sdk/openai-compatible", places: ["src/worker/backends/sdk/"], inOneFile: true },
  { name: "bun:sqlite", places: ["src/daemon/store/"] },
  { name: "bun", places: ["src/interface/", "src/daemon/", "src/worker/", "src/skills/"] },
];
/** Schemas and pure functions. Only loading a workflow file reads from disk. */
const pureFolders = ["src/protocol/", "src/text/", "src/workflow/"];
const pureExceptions = ["src/workflow/load.ts"];

/** Imports of our own files that cross a boundary. */
export function boundaryProblems(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) => {
    const layer = isTest(path) ? testLayer(path) : layers.find((each) => path.startsWith(each.path));
    if (!path.startsWith("src/")) return [];
    if (!layer) return [`${path}: belongs to no layer; move it, or add a layer in scripts/tidy/boundaries.ts`];
    return importsOf(path, text)
      .filter((found) => !canImport(layer, found))
      .map(
        ({ target, isType }) => `${path}: ${layer.path} must not import ${isType ? "types" : "values"} from ${target}`,
      );
  });
}

/** Imports of packages in the wrong place. Tests can import any package. */
export function packageProblems(sources: Sources): string[] {
  const users = new Map<string, string[]>();
  const problems: string[] = [];
  for (const [path, text] of sources) {
    if (!path.startsWith("src/") || isTest(path)) continue;
    for (const { specifier, target } of importsOf(path, text)) {
      if (target !== undefined) continue;
      const problem = packageProblem(path, specifier);
      if (problem) problems.push(`${path}: ${problem}`);
      users.set(packageName(specifier), [...(users.get(packageName(specifier)) ?? []), path]);
    }
  }
  for (const { name, places, inOneFile } of packages) {
    for (const place of inOneFile ? places : []) {
      const files = (users.get(name) ?? []).filter((path) => path.startsWith(place));
      if (files.length > 1) problems.push(`${files.join(", ")}: only one file can import ${name}`);
    }
  }
  return problems;
}

function packageProblem(path: string, specifier: string): string | undefined {
  if (specifier.startsWith("node:")) {
    const pure = pureFolders.find((place) => path.startsWith(place));
    return pure && !pureExceptions.includes(path) ? `${pure} is pure and must not import ${specifier}` : undefined;
  }
  const known = packages.find(({ name }) => name === packageName(specifier));
  if (!known) return `${specifier} is not a listed package; add it in scripts/tidy/boundaries.ts`;
  if (known.places.some((place) => path.startsWith(place))) return undefined;
  return `only ${known.places.join(", ")} can import ${specifier}`;
}

/** `hono` for `hono/streaming`, `@scope/name` for `@scope/name/part`. */
function packageName(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

function canImport({ path, imports, types = [], never = [] }: Layer, { target, isType }: Import): boolean {
  if (target === undefined) return true;
  if (never.some((other) => target.startsWith(other))) return false;
  return [path, ...imports, ...(isType ? types : [])].some((other) => target.startsWith(other));
}

/** A test can import anything in its own tier. */
function testLayer(path: string): Layer {
  const tier = /^src\/[^/]+\//.exec(path)?.[0] ?? path;
  return { path: tier, imports: [...shared, "src/skills/", "test/"] };
}
