/** The names of the built-in tools. */
import { z } from "zod";

export const toolNames = [
  "bash",
  "read_file",
  "write_file",
  "edit_file",
  "list_files",
  "search_code",
  "skill",
] as const;
export const ToolName = z.enum(toolNames);
export type ToolName = z.infer<typeof ToolName>;
