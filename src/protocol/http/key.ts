/** Reads the key of a route, `METHOD /path`. It loads no schemas, so that commands start fast. */

const pathParam = /:(\w+)(\{[^}]*\})?/g;

export function splitKey(key: string): { method: string; path: string } {
  const space = key.indexOf(" ");
  return { method: key.slice(0, space), path: key.slice(space + 1) };
}

/** Replaces each parameter of a path, such as `:target` or `:file{.+}`, by what `fill` returns for its name. */
export function fillPath(path: string, fill: (name: string) => string): string {
  return path.replaceAll(pathParam, (_, name: string) => fill(name));
}
