/** Adds positions in the workflow file to diagnostics that were made without it, such as the daemon's. */
import { z } from "zod";
import { AppError } from "../../protocol/error.ts";
import { type Diagnostic, formatDiagnostics } from "./diagnostic.ts";
import { readYaml } from "../yaml/yaml-reader.ts";

const Details = z.array(
  z.object({
    severity: z.enum(["error", "warning"]),
    message: z.string(),
    path: z.string(),
    hint: z.string().optional(),
  }),
);

/** The same error with lines and columns; unchanged if its details are not diagnostics. */
export function addPositions(error: AppError, source: string, file: string): AppError {
  const { data } = Details.safeParse(error.details);
  if (!data) return error;
  const { locate } = readYaml(source);
  const details: Diagnostic[] = data.map((found) => ({ ...found, file, ...locate(found.path.split(".")) }));
  return new AppError(error.code, formatDiagnostics(details, source, file), {
    details,
    hint: error.hint,
    actions: error.actions,
    cause: error,
  });
}
