/** What the file system says, in words, and with the document that it is about. */
import { AppError } from "../../protocol/error.ts";

const explanations: Record<string, string> = {
  EACCES: "the folder may not be accessed",
  EPERM: "the folder may not be accessed",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk is full",
  ENOTDIR: "it lies under something that is not a folder",
  EISDIR: "it is a folder",
  ELOOP: "it is a link, or lies under one",
  ENAMETOOLONG: "its name is too long",
  ENXIO: "it is not a regular file",
};

/** Runs `work`; a failure that people can cause says what could not be done, and why. */
export async function explained<Result>(
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
      hint: "make the folder usable and try again; nothing was lost",
      cause: error,
    });
  }
}
