/** Reads the project's files for the checks of test/tidy.test.ts: their paths, texts and imports. */
import { posix } from "node:path";

/** Texts by path; paths are relative to the checkout, with forward slashes. */
export type Sources = ReadonlyMap<string, string>;

/**
 * `target` is the path of one of our files; without it, the import is a package or a module of the runtime. `isType`: only
 * types are imported.
 */
export type Import = { specifier: string; target?: string; isType: boolean };

const transpiler = new Bun.Transpiler({ loader: "ts", trimUnusedImports: false });

// The transpiler does not list imports of types. These patterns find them in formatted code.
const typeImports = [
  /^(?:import|export) type\b[^"';]*?from "([^"]+)"/gm,
  /^(?:import|export) [^"';]*?\btype\b[^"';]*?from "([^"]+)"/gm,
  /\bimport\("([^"]+)"\)/g,
];

export function readSources(root: string): Promise<Sources> {
  return readFiles(root, ["{src,test,bench,scripts}/**/*.ts"]);
}

/** Everything that a shell runs: files without an extension, and the scripts of `package.json`. */
export async function readShellScripts(root: string): Promise<Sources> {
  const files = await readFiles(root, ["package.json", "{bin,scripts,.ci}/*"]);
  return new Map([...files].filter(([path]) => path === "package.json" || posix.extname(path) === ""));
}

async function readFiles(root: string, globs: string[]): Promise<Sources> {
  const scans = globs.map((glob) => Array.fromAsync(new Bun.Glob(glob).scan({ cwd: root, dot: true })));
  const paths = (await Promise.all(scans)).flat();
  const texts = await Promise.all(paths.map((path) => Bun.file(posix.join(root, path)).text()));
  return new Map(paths.map((path, index) => [path, texts[index] ?? ""] as const).sort());
}

/** Everything that a file imports, including types, without duplicates. */
export function importsOf(path: string, text: string): Import[] {
  const values = new Set(transpiler.scanImports(text).map((found) => found.path));
  const types = typeImports.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ""));
  return [...new Set([...values, ...types])].sort().map((specifier) => ({
    specifier,
    isType: !values.has(specifier),
    ...(specifier.startsWith(".") && { target: posix.join(posix.dirname(path), specifier) }),
  }));
}

export function isTest(path: string): boolean {
  return path.endsWith(".test.ts");
}
