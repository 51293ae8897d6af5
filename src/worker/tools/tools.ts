/** The list of local tools. An agent has those that its definition lists. */
import type { ToolName } from "../../protocol/definition/tool-name.ts";
import type { Tool, ToolMaker, ToolPlace } from "./tool.ts";

/** `skill` is missing: it is created with the skills that were found. */
const makers: Record<Exclude<ToolName, "skill">, () => Promise<ToolMaker>> = {
  bash: async () => (await import("./bash.ts")).bash,
  read_file: async () => (await import("./files/read-file.ts")).readFile,
  write_file: async () => (await import("./files/write-file.ts")).writeFile,
  edit_file: async () => (await import("./files/edit-file.ts")).editFile,
  list_files: async () => (await import("./files/list-files.ts")).listFiles,
  search_code: async () => (await import("./files/search-code.ts")).searchCode,
};

export function localTools(names: ToolName[], place: ToolPlace): Promise<Tool[]> {
  const made = names.filter((name) => name !== "skill");
  return Promise.all(made.map(async (name) => (await makers[name]())(place)));
}

/** Whether such a tool exists, even if the agent does not have it. */
export function isLocalTool(name: string): boolean {
  return name === "skill" || Object.hasOwn(makers, name);
}
