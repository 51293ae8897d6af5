/** `edit_file`: replaces an exact piece of text in a file inside the agent's folder, atomically. */
import { z } from "zod";
import { MiB } from "../../../protocol/limits.ts";
import { replaceInside } from "./confine.ts";
import { nearMatches } from "./near-matches.ts";
import { defineTool } from "../tool.ts";
import { readWhole } from "./whole-file.ts";

const contentBytes = 16 * MiB;
const linesShown = 10;

export const editFile = defineTool({
  name: "edit_file",
  description:
    "Replaces text in a file inside the working folder. old_string must occur in the file exactly once; with replace_all, any number of times. Read the file first.",
  input: z.strictObject({
    path: z.string().min(1).describe("Relative to the working folder."),
    old_string: z.string().min(1).describe("The exact text to replace, with enough around it to be unique."),
    new_string: z.string().describe("The replacement; empty removes the text."),
    replace_all: z.boolean().default(false).describe("Replace every occurrence. Default: exactly one is expected."),
  }),
  async run({ path, old_string, new_string, replace_all }, { cwd }) {
    if (old_string === new_string) throw new Error("old_string and new_string are the same: nothing would change");
    const before = decode(await readWhole(cwd, path), path);
    const [wanted, replacement] = withLineEnds(before, old_string, new_string);
    const places = placesOf(before, wanted);
    if (places.length === 0) throw new Error(`old_string is not in ${path}${nearMatches(before, old_string)}`);
    if (places.length > 1 && !replace_all) {
      const shown = places.slice(0, linesShown).map((place) => lineOf(before, place));
      const more = places.length > linesShown ? " …" : "";
      throw new Error(
        `old_string is in ${path} ${places.length} times, on lines ${shown.join(", ")}${more}: add surrounding lines to make it unique, or set replace_all`,
      );
    }
    const after = before.split(wanted).join(replacement);
    if (Buffer.byteLength(after) > contentBytes) {
      throw new Error(`${path} would be longer than ${contentBytes} bytes; it was not changed`);
    }
    await replaceInside(cwd, path, after);
    const count = places.length === 1 ? "1 occurrence" : `${places.length} occurrences`;
    return { ok: true, text: `replaced ${count} in ${path}, the first on line ${lineOf(before, places[0] ?? 0)}` };
  },
});

/** Writing back a file that was not decoded exactly would damage the rest of it. */
function decode(content: Buffer, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new Error(`${path} is not UTF-8 text; use bash`);
  }
}

/** Models write \n; in a file with \r\n, the edit uses \r\n too. */
function withLineEnds(text: string, wanted: string, replacement: string): [wanted: string, replacement: string] {
  if (text.includes(wanted) || !text.includes("\r\n") || wanted.includes("\r")) return [wanted, replacement];
  return [wanted.replaceAll("\n", "\r\n"), replacement.replaceAll(/\r?\n/g, "\r\n")];
}

/** Without overlaps, like the replacement itself. */
function placesOf(text: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) places.push(at);
  return places;
}

function lineOf(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < place; at = text.indexOf("\n", at + 1)) line++;
  return line;
}
