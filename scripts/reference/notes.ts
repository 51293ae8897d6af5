/** Reads the comments above the protocol's schemas and their fields, which are their descriptions in the reference. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The text of exactly one comment. */
const comment = String.raw`\/\*\* ((?:(?!\*\/)[^])*?) \*\/\n`;
const schemaStart = new RegExp(`^(?:${comment})?export const (\\w+)(?:: [^=]+)? =`, "gm");
const notedField = new RegExp(`^ +${comment} +(\\w+):`, "gm");
const folder = join(import.meta.dir, "../../src/protocol");

/** By the name of the schema, and by `Schema.field`; if several parts of a schema have the field, the first one. */
export type Notes = ReadonlyMap<string, string>;

export function readNotes(...files: string[]): Notes {
  const notes = new Map<string, string>();
  for (const file of files) {
    const source = readFileSync(join(folder, file), "utf8");
    const starts = [...source.matchAll(schemaStart)];
    for (const [index, { 1: note, 2: name = "", index: at }] of starts.entries()) {
      if (note) notes.set(name, flow(note));
      const body = source.slice(at, starts[index + 1]?.index);
      for (const { 1: text = "", 2: field } of body.matchAll(notedField)) {
        if (!notes.has(`${name}.${field}`)) notes.set(`${name}.${field}`, flow(text));
      }
    }
  }
  return notes;
}

/** Joins a comment of several lines into one. */
function flow(text: string): string {
  return text.replace(/\s*\n\s*\*?\s*/g, " ").trim();
}
