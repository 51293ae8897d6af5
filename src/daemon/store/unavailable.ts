/** Which errors say that the store could not do its work this time, and may do it the next. */
import { AppError } from "../../protocol/error.ts";

/** True where nothing was decided and nothing stored: a full disk, a locked database, no memory left. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && (error.code === "store-full" || error.code === "store-unavailable");
}
