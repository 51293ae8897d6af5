/** Which names a document can have. It loads no schemas, which a command would wait for. */

const longestName = 200;
const deepest = 8;
/** Letters, digits and what people put into names; nothing that a file system or a terminal reads as more. */
const part = /^[\p{L}\p{N}_](?:[\p{L}\p{N}\p{M} _.,+()@=-]*[\p{L}\p{N}\p{M}_)+=-])?$/u;

/** Why `file` cannot name a document, or undefined when it can. */
export function documentNameProblem(file: string): string | undefined {
  const shown = JSON.stringify(file.length > 80 ? `${file.slice(0, 79)}…` : file);
  if (file === "") return "a document needs a name";
  if (file.startsWith("/")) return `${shown} is not relative: documents are named from their own folder on`;
  if (Buffer.byteLength(file) > longestName) return `a document's name has at most ${longestName} bytes`;
  if (file.split("/").length > deepest) return `${shown} lies more than ${deepest} folders deep`;
  if (file.split("/").includes("..")) return `${shown} leaves the documents' folder`;
  if (file.normalize("NFC") !== file) return `${shown} is not in Unicode's composed form (NFC)`;
  if (file.split("/").every((name) => part.test(name))) return undefined;
  return `${shown} cannot name a document: use letters, digits and . _ - and /, as in notes/today.md`;
}
