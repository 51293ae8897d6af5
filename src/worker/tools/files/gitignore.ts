/** What a folder's `.gitignore` leaves out, as far as listing and searching need to know. */

export type IgnorePattern = {
  /** The folder of the file that says so, relative to where the walk began; empty there. */
  folder: string;
  glob: Bun.Glob;
  /** The pattern names a path from its folder on, not a name at any depth. */
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
    // Braces are ordinary characters there, and alternatives for Bun.
    const glob = new Bun.Glob(body.replace(/^\//, "").replaceAll(/[{}]/g, "\\$&"));
    return [{ folder, glob, anchored: body.includes("/"), onlyFolders, keeps }];
  });
}

/** The last match that fits decides, and those of deeper folders come last. */
export function isIgnored(patterns: IgnorePattern[], path: string, isFolder: boolean): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const match = patterns.findLast(({ folder, glob, anchored, onlyFolders }) => {
    if (onlyFolders && !isFolder) return false;
    return glob.match(anchored ? path.slice(folder === "" ? 0 : folder.length + 1) : name);
  });
  return match !== undefined && !match.keeps;
}
