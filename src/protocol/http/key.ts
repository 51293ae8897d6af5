/** Reads the key of a route, `METHOD /path`. It loads no schemas, which a command would wait for. */

const varyingPart = /:(\w+)(\{[^}]*\})?/g;

export function splitKey(key: string): { method: string; path: string } {
  const space = key.indexOf(" ");
  return { method: key.slice(0, space), path: key.slice(space + 1) };
}

/** The path with each part that varies, such as `:target` or `:file{.+}`, replaced by what `fill` gives for its name. */
export function fillPath(path: string, fill: (name: string) => string): string {
  return path.replaceAll(varyingPart, (_, name: string) => fill(name));
}
