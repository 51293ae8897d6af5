/** Checks whether a path is inside a folder. */
import { lstatSync, realpathSync } from "node:fs";
import { dirname, sep } from "node:path";

/** Also true for the folder itself. Both paths must be absolute and normalized; neither is looked up on disk. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/**
 * The real path of the nearest existing folder above `path`. Check it before creating anything: a link on the way could
 * point anywhere.
 */
export function realFolderAbove(path: string): string {
  let above = dirname(path);
  while (lstatSync(above, { throwIfNoEntry: false }) === undefined) above = dirname(above);
  return realpathSync(above);
}
