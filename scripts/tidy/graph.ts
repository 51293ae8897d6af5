/** What the import graph must not have: cycles, and files that nothing leads to. */
import { importsOf, isTest, type Sources } from "./sources.ts";

type Graph = ReadonlyMap<string, string[]>;

/** Cycles, each told from its first file on. Imports of types count: what needs each other is one thing. */
export function cycleProblems(sources: Sources): string[] {
  const graph = graphOf(sources);
  return [...graph.keys()].sort().flatMap((start) => {
    const cycle = shortestCycle(graph, start);
    return cycle ? [`import cycle: ${[...cycle, start].join(" → ")}`] : [];
  });
}

/** Files of `src/` that neither the program nor the API nor a test of something else leads to. */
export function unreachableProblems(sources: Sources): string[] {
  const graph = graphOf(sources);
  const roots = [...graph.keys()].filter(
    (path) => path === "src/main.ts" || path === "src/index.ts" || !path.startsWith("src/") || isTest(path),
  );
  const reached = new Set(roots);
  // A set visits what is added to it while it is walked.
  for (const path of reached) {
    for (const target of graph.get(path) ?? []) if (!isOwnTest(path, target)) reached.add(target);
  }
  return [...graph.keys()].filter((path) => !reached.has(path)).map((path) => `${path}: nothing leads to this file`);
}

/** A file's own test does not keep it alive. */
function isOwnTest(test: string, path: string): boolean {
  return test.replace(/\.test\.ts$/, ".ts") === path;
}

function graphOf(sources: Sources): Graph {
  const targets = (path: string, text: string) =>
    importsOf(path, text).flatMap(({ target }) => (target !== undefined && sources.has(target) ? [target] : []));
  return new Map([...sources].map(([path, text]) => [path, targets(path, text)]));
}

/** The shortest way from `start` back to it, among files that come after it in order. */
function shortestCycle(graph: Graph, start: string): string[] | undefined {
  const seen = new Set<string>();
  let ways = [[start]];
  while (ways.length > 0) {
    const longer: string[][] = [];
    for (const way of ways) {
      for (const next of graph.get(way.at(-1) ?? start) ?? []) {
        if (next === start) return way;
        if (seen.has(next) || next < start) continue;
        seen.add(next);
        longer.push([...way, next]);
      }
    }
    ways = longer;
  }
  return undefined;
}
