/** Checks the import graph: no cycles, and no unused files. */
import { importsOf, isTest, type Sources } from "./sources.ts";

type Graph = ReadonlyMap<string, string[]>;

/** Import cycles, each reported once, from its first file in alphabetical order. Imports of types count too. */
export function cycleProblems(sources: Sources): string[] {
  const graph = graphOf(sources);
  return [...graph.keys()].sort().flatMap((start) => {
    const cycle = shortestCycle(graph, start);
    return cycle ? [`import cycle: ${[...cycle, start].join(" → ")}`] : [];
  });
}

/** Files of `src/` that are not imported, directly or indirectly, by the program, the API or a test of another file. */
export function unreachableProblems(sources: Sources): string[] {
  const graph = graphOf(sources);
  const roots = [...graph.keys()].filter(
    (path) => path === "src/main.ts" || path === "src/index.ts" || !path.startsWith("src/") || isTest(path),
  );
  const reached = new Set(roots);
  // Iterating over a set also visits elements added during the iteration.
  for (const path of reached) {
    for (const target of graph.get(path) ?? []) if (!isOwnTest(path, target)) reached.add(target);
  }
  return [...graph.keys()].filter((path) => !reached.has(path)).map((path) => `${path}: nothing imports this file`);
}

/** A file that only its own test imports is unused. */
function isOwnTest(test: string, path: string): boolean {
  return test.replace(/\.test\.ts$/, ".ts") === path;
}

function graphOf(sources: Sources): Graph {
  const targets = (path: string, text: string) =>
    importsOf(path, text).flatMap(({ target }) => (target !== undefined && sources.has(target) ? [target] : []));
  return new Map([...sources].map(([path, text]) => [path, targets(path, text)]));
}

/** The shortest cycle through `start`, among files that come after it in alphabetical order. */
function shortestCycle(graph: Graph, start: string): string[] | undefined {
  const seen = new Set<string>();
  let paths = [[start]];
  while (paths.length > 0) {
    const longer: string[][] = [];
    for (const path of paths) {
      for (const next of graph.get(path.at(-1) ?? start) ?? []) {
        if (next === start) return path;
        if (seen.has(next) || next < start) continue;
        seen.add(next);
        longer.push([...path, next]);
      }
    }
    paths = longer;
  }
  return undefined;
}
