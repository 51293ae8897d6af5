/** Recognizes errors of a store that is temporarily unavailable. */
import { AppError } from "../../protocol/error.ts";

/** True if nothing was decided or stored: a full disk, a locked database, out of memory. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && (error.code === "store-full" || error.code === "store-unavailable");
}
