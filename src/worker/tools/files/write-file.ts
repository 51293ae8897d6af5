/** `write_file`: replaces a whole file inside the agent's folder, atomically. */
import { z } from "zod";
import { MiB } from "../../../protocol/limits.ts";
import { replaceInside } from "./confine.ts";
import { defineTool } from "../tool.ts";

const contentBytes = 16 * MiB;

export const writeFile = defineTool({
  name: "write_file",
  description: "Writes a text file inside the working folder, replacing it if it exists. Creates missing folders.",
  input: z.strictObject({
    path: z.string().min(1).describe("Relative to the working folder."),
    content: z.string().describe("The complete content of the file."),
  }),
  async run({ path, content }, { cwd }) {
    const bytes = Buffer.byteLength(content);
    if (bytes > contentBytes)
      throw new Error(`the content is ${bytes} bytes long, more than the limit of ${contentBytes}`);
    await replaceInside(cwd, path, content);
    return { ok: true, text: `wrote ${bytes} bytes to ${path}` };
  },
});
