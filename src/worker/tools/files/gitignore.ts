/** Reads `.gitignore` files, as far as listing and searching need them. */

export type IgnorePattern = {
  /** The folder of the `.gitignore`, relative to the start of the walk; empty for the start itself. */
  folder: string;
  glob: Bun.Glob;
  /** The pattern matches a path relative to its folder, not a name at any depth. */
  anchored: boolean;
  onlyFolders: boolean;
  keeps: boolean;
};

const maxPatterns = 2_000;

export function readIgnorePatterns(text: string, folder: string): IgnorePattern[] {
  return text.split(/\r?\n/, maxPatterns).flatMap((line) => {
    const written = line.replace(/(?<!\\)\s+$/, "");
    if (written === "" || written.startsWith("#")) return [];
    const keeps = written.startsWith("!");
    const pattern = keeps ? written.slice(1) : written;
    const onlyFolders = pattern.endsWith("/");
    const body = pattern.replace(/\/+$/, "");
    if (body === "") return [];
    // Braces are literal in `.gitignore`, but alternatives in Bun's globs.
    const glob = new Bun.Glob(body.replace(/^\//, "").replaceAll(/[{}]/g, "\\$&"));
    return [{ folder, glob, anchored: body.includes("/"), onlyFolders, keeps }];
  });
}

/** The last matching pattern decides; patterns of deeper folders come last. */
export function isIgnored(patterns: IgnorePattern[], path: string, isFolder: boolean): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const match = patterns.findLast(({ folder, glob, anchored, onlyFolders }) => {
    if (onlyFolders && !isFolder) return false;
    return glob.match(anchored ? path.slice(folder === "" ? 0 : folder.length + 1) : name);
  });
  return match !== undefined && !match.keeps;
}
