/** Turns errors of the file system into messages that name the document and the reason. */
import { AppError } from "../../protocol/error.ts";

const explanations: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk is full",
  ENOTDIR: "a part of its path is not a folder",
  EISDIR: "it is a folder",
  ELOOP: "a part of its path is a link",
  ENAMETOOLONG: "its name is too long",
  ENXIO: "it is not a regular file",
};

/** Runs `work`. A failure that people can cause and fix becomes an `AppError` that says what failed, and why. */
export async function explainFileErrors<Result>(
  file: string,
  done: "found" | "read" | "written" | "deleted",
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const reason = explanations[code];
    if (error instanceof AppError || reason === undefined) throw error;
    throw new AppError("failed", `${file} could not be ${done}: ${reason}`, {
      hint: "fix the folder and try again; nothing was lost",
      cause: error,
    });
  }
}
