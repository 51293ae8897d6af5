/** Which part of the program may import which: the tiers, the daemon's layers, and the packages of others. */
import { importsOf, isTest, type Sources } from "./sources.ts";

type Layer = { place: string; imports: string[]; never?: string[] };

const shared = ["src/protocol/", "src/system/", "src/text/", "src/mcp/", "src/workflow/"];
/** Types alone: what is read and written beside the store. */
const storeTypes = ["src/daemon/store/store.ts", "src/daemon/store/data.ts"];

/** A door calls kernel functions, which `operations.ts` lists. It sees neither the store nor the kernel's other parts. */
const door = { imports: ["src/daemon/kernel/", ...shared], never: ["src/daemon/kernel/kernel.ts"] };

/** The first whose place holds a file decides. A layer may always import itself. */
const layers: Layer[] = [
  { place: "src/main.ts", imports: ["src/processes/"] },
  {
    place: "src/processes/",
    imports: ["src/protocol/", "src/system/", "src/interface/", "src/daemon/", "src/worker/"],
  },
  { place: "src/index.ts", imports: ["src/interface/", ...shared] },
  { place: "src/protocol/", imports: [] },
  { place: "src/text/", imports: ["src/protocol/"] },
  { place: "src/system/", imports: ["src/protocol/", "src/text/"] },
  { place: "src/mcp/", imports: ["src/protocol/", "src/system/", "src/text/"] },
  { place: "src/workflow/", imports: ["src/protocol/", "src/system/", "src/text/"] },
  { place: "src/skills/", imports: ["src/protocol/", "src/system/", "src/text/"] },
  { place: "src/interface/", imports: [...shared, "src/skills/"] },
  { place: "src/worker/", imports: [...shared, "src/skills/"] },
  { place: "src/daemon/daemon.ts", imports: ["src/daemon/", ...shared] },
  { place: "src/daemon/http/", ...door },
  { place: "src/daemon/mcp/", ...door },
  {
    place: "src/daemon/kernel/",
    imports: ["src/daemon/store/", "src/daemon/process/", "src/daemon/documents/", "src/daemon/projection/", ...shared],
    never: ["src/daemon/store/sqlite/"],
  },
  { place: "src/daemon/store/", imports: shared },
  { place: "src/daemon/documents/", imports: [...storeTypes, ...shared] },
  { place: "src/daemon/projection/", imports: ["src/daemon/documents/", ...storeTypes, ...shared] },
  { place: "src/daemon/process/", imports: shared },
  { place: "src/daemon/", imports: shared, never: ["src/daemon/http/", "src/daemon/mcp/"] },
];

/** `inOneFile`: in each of its places, one file alone. */
type Package = { name: string; places: string[]; inOneFile?: boolean };

/** Every package that the program may import, and where. */
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
/** Shapes, and pure functions of text. Only the way in from a workflow file touches the disk. */
const withoutRuntime = ["src/protocol/", "src/text/", "src/workflow/"];
const wayIn = ["src/workflow/load.ts"];

/** Imports of our own files that cross a boundary. */
export function boundaryProblems(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) => {
    const layer = isTest(path) ? testLayer(path) : layers.find(({ place }) => path.startsWith(place));
    if (!path.startsWith("src/")) return [];
    if (!layer) return [`${path}: belongs to no layer; move it, or give it one in scripts/tidy/boundaries.ts`];
    return importsOf(path, text)
      .filter(({ target }) => target !== undefined && !mayImport(layer, target))
      .map(({ target }) => `${path}: ${layer.place} must not import ${target}`);
  });
}

/** Imports of packages where they do not belong. Tests may use any. */
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
      if (files.length > 1) problems.push(`${files.join(", ")}: only one file may import ${name}`);
    }
  }
  return problems;
}

function packageProblem(path: string, specifier: string): string | undefined {
  if (specifier.startsWith("node:")) {
    const pure = withoutRuntime.find((place) => path.startsWith(place));
    return pure && !wayIn.includes(path) ? `${pure} is pure and must not import ${specifier}` : undefined;
  }
  const known = packages.find(({ name }) => name === packageName(specifier));
  if (!known) return `${specifier} is not among the packages of scripts/tidy/boundaries.ts`;
  if (known.places.some((place) => path.startsWith(place))) return undefined;
  return `only ${known.places.join(", ")} may import ${specifier}`;
}

/** `hono/streaming` is of `hono`, `@scope/name/part` of `@scope/name`. */
function packageName(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

function mayImport({ place, imports, never = [] }: Layer, target: string): boolean {
  if (never.some((other) => target.startsWith(other))) return false;
  return [place, ...imports].some((other) => target.startsWith(other));
}

/** A test may compose all of its own tier. */
function testLayer(path: string): Layer {
  const tier = /^src\/[^/]+\//.exec(path)?.[0] ?? path;
  return { place: tier, imports: [...shared, "src/skills/", "test/"] };
}
