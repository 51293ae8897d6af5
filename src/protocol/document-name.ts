/** Valid names of documents. It loads no schemas, so that commands start fast. */

const maxNameBytes = 200;
const maxDepth = 8;
/** Letters, digits and common punctuation; nothing that is special to a file system or a terminal. */
const part = /^[\p{L}\p{N}_](?:[\p{L}\p{N}\p{M} _.,+()@=-]*[\p{L}\p{N}\p{M}_)+=-])?$/u;

/** Why `file` is not a valid name of a document; undefined if it is. */
export function documentNameProblem(file: string): string | undefined {
  const shown = JSON.stringify(file.length > 80 ? `${file.slice(0, 79)}…` : file);
  if (file === "") return "a document needs a name";
  if (file.startsWith("/")) return `${shown} is an absolute path: name a document relative to the documents folder`;
  if (Buffer.byteLength(file) > maxNameBytes) return `a document's name can have at most ${maxNameBytes} bytes`;
  if (file.split("/").length > maxDepth) return `${shown} is nested too deeply: at most ${maxDepth} levels`;
  if (file.split("/").includes("..")) return `${shown} leaves the documents folder`;
  if (file.normalize("NFC") !== file) return `${shown} is not in Unicode's composed form (NFC)`;
  if (file.split("/").every((name) => part.test(name))) return undefined;
  return `${shown} is not a valid document name: use letters, digits, ., _, - and /, such as notes/today.md`;
}
