/** The comments above the protocol's schemas and their fields: what a reference says about them beside their types. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dir, "../../src/protocol");

/** By name of the schema, and by `Schema.field`; of a field that several parts of a schema have, the first. */
export type Notes = ReadonlyMap<string, string>;

export function readNotes(...files: string[]): Notes {
  const notes = new Map<string, string>();
  for (const file of files) {
    const source = readFileSync(join(folder, file), "utf8");
    const starts = [...source.matchAll(/^(?:\/\*\* (.*?) \*\/\n)?export const (\w+) =/gms)];
    for (const [index, { 1: note, 2: name = "", index: at }] of starts.entries()) {
      if (note) notes.set(name, flow(note));
      const body = source.slice(at, starts[index + 1]?.index);
      for (const { 1: text = "", 2: field } of body.matchAll(/^ +\/\*\* (.*?) \*\/\n +(\w+):/gms)) {
        if (!notes.has(`${name}.${field}`)) notes.set(`${name}.${field}`, flow(text));
      }
    }
  }
  return notes;
}

/** A comment over several lines as one. */
function flow(comment: string): string {
  return comment.replace(/\s*\n\s*\*?\s*/g, " ").trim();
}
