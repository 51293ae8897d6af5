/** `list_files`: lists the files inside the agent's folder that match a pattern. */
import { relative, resolve, sep } from "node:path";
import { z } from "zod";
import { KiB } from "../../../protocol/limits.ts";
import { defineTool } from "../tool.ts";
import { walkFiles } from "./walk.ts";

const defaultFiles = 500;
const maxFiles = 5_000;
const textBytes = 100 * KiB;

export const listFiles = defineTool({
  name: "list_files",
  description:
    "Lists the files under a folder inside the working folder. Excludes .git, node_modules and files that .gitignore names.",
  input: z.strictObject({
    path: z.string().min(1).default(".").describe("The folder. Default: the working folder."),
    glob: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Only paths that match, such as **/*.ts or *.{md,txt}; a pattern without / matches names at any depth.",
      ),
    limit: z.int().min(1).max(maxFiles).default(defaultFiles).describe(`Max files to list. Default: ${defaultFiles}.`),
    ignored: z.boolean().default(false).describe("Include files that .gitignore excludes."),
  }),
  async run({ path, glob, limit, ignored }, { cwd, signal }) {
    const matches = globFilter(glob);
    const files: string[] = [];
    let bytes = 0;
    let isCut = false;
    const cut = () => void (isCut = true);
    const start = startOf(cwd, path);
    for await (const file of walkFiles(cwd, start, { ignored, signal, onCut: cut })) {
      if (!matches(start === "" ? file : file.slice(start.length + 1))) continue;
      bytes += Buffer.byteLength(file) + 1;
      if (files.length === limit || bytes > textBytes) {
        cut();
        break;
      }
      files.push(file);
    }
    if (files.length === 0) return { ok: true, text: glob === undefined ? "[no files]" : `[no file matches ${glob}]` };
    const more = isCut ? ["[… there are more: narrow the list with path or glob, or raise limit …]"] : [];
    return { ok: true, text: [...files, ...more].join("\n") };
  },
});

/** Tests paths against the pattern; without a pattern, every path matches. */
export function globFilter(pattern: string | undefined): (path: string) => boolean {
  if (pattern === undefined) return () => true;
  const glob = new Bun.Glob(pattern.includes("/") ? pattern.replace(/^\.?\//, "") : `**/${pattern}`);
  return (path) => glob.match(path);
}

/** The path relative to the folder, empty for `.`. Whether it is inside the folder is checked when it is opened. */
export function startOf(cwd: string, path: string): string {
  return relative(cwd, resolve(cwd, path)).split(sep).join("/");
}
