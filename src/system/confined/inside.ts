/** Whether one path lies inside another. Both must be absolute and normalized; neither is looked up on disk. */
import { lstatSync, realpathSync } from "node:fs";
import { dirname, sep } from "node:path";

/** True also for the folder itself. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/**
 * The real path of the nearest folder above that exists. Check it before creating anything: a link on the way could lead
 * anywhere.
 */
export function realFolderAbove(path: string): string {
  let above = dirname(path);
  while (lstatSync(above, { throwIfNoEntry: false }) === undefined) above = dirname(above);
  return realpathSync(above);
}
