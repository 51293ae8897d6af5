/** `write_file`: replaces a file inside the agent's folder as a whole, or not at all. */
import { z } from "zod";
import { MiB } from "../../../protocol/limits.ts";
import { replaceInside } from "./confine.ts";
import { defineTool } from "../tool.ts";

const contentBytes = 16 * MiB;

export const writeFile = defineTool({
  name: "write_file",
  description: "Writes a text file inside the working folder, replacing what was there; folders are made as needed.",
  input: z.strictObject({
    path: z.string().min(1).describe("Relative to the working folder."),
    content: z.string().describe("All that the file is to contain."),
  }),
  async run({ path, content }, { cwd }) {
    const bytes = Buffer.byteLength(content);
    if (bytes > contentBytes) throw new Error(`the content has ${bytes} bytes; at most ${contentBytes} are written`);
    await replaceInside(cwd, path, content);
    return { ok: true, text: `wrote ${bytes} bytes to ${path}` };
  },
});
