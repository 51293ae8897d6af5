/** `read_file`: returns lines of a text file inside the agent's folder. */
import { z } from "zod";
import { KiB } from "../../../protocol/limits.ts";
import { defineTool } from "../tool.ts";
import { readWhole } from "./whole-file.ts";

const textBytes = 100 * KiB;
const defaultLines = 2_000;

export const readFile = defineTool({
  name: "read_file",
  description: "Reads a text file inside the working folder.",
  input: z.strictObject({
    path: z.string().min(1).describe("Relative to the working folder."),
    offset: z.int().min(1).default(1).describe("First line to return, counted from 1."),
    limit: z.int().min(1).default(defaultLines).describe(`Max lines to return. Default: ${defaultLines}.`),
  }),
  async run({ path, offset, limit }, { cwd }) {
    const content = await readWhole(cwd, path);
    const lines = content.toString("utf8").split("\n");
    const last = lines.at(-1) === "" ? lines.length - 1 : lines.length;
    if (offset > Math.max(last, 1))
      throw new Error(`offset ${offset} is past the end of ${path}, which has ${last} lines`);

    const end = endWithin(lines, offset - 1, Math.min(offset - 1 + limit, last));
    // The end of the file is returned exactly, including its last newline.
    const text = lines.slice(offset - 1, end === last ? undefined : end).join("\n");
    if (end === last) return { ok: true, text };
    if (end === offset - 1) throw new Error(`line ${offset} of ${path} is too long to show; use bash`);
    return { ok: true, text: `${text}\n[… ${last - end} more lines: continue with offset ${end + 1} …]` };
  },
});

/** The end of the lines that fit into one result. */
function endWithin(lines: string[], start: number, end: number): number {
  let bytes = 0;
  for (let index = start; index < end; index++) {
    bytes += Buffer.byteLength(lines[index] ?? "") + 1;
    if (bytes > textBytes) return index;
  }
  return end;
}
