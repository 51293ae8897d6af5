/** Finds the mentions in a text. It does not know the agents: the store resolves the names when it writes the message. */
import { codeRanges, type Range, replaceRanges } from "./markdown.ts";

export type Mentions = {
  /** As written, case-insensitively unique, without `all` and `user`. */
  names: string[];
  all: boolean;
  user: boolean;
  urgent: boolean;
};

/** Replaces a value or a piece of code: not a letter, not a space, without meaning in Markdown. */
const inert = "\uFFFC";
const maxNameChars = 64;

/** Also matches escapes and URLs, in order to skip them. */
const token =
  /\\[\\@]|(?::\/\/|\bwww\.)[!#-&*-;=?-Z^-_a-z|~\uFFFC]*|@(?:"([a-z][\w-]*)"|“([a-z][\w-]*)”|([a-z][\w-]*))/gi;
const urgentWord = /(?<![\w@]|\w-)(?:urgent|asap|blocked|critical)(?!-?\w)/i;
/** Letters of scripts that put spaces between words; in other scripts a name can be next to other letters. */
const spacedLetter =
  /[[\p{L}\p{N}\p{M}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]]/v;

/**
 * The names that `text` mentions. `opaque` are the ranges of interpolated values, in order: each counts as one inert
 * character, so that the content of a value neither mentions an agent nor hides a mention.
 */
export function findMentions(text: string, opaque: readonly Range[] = []): Mentions {
  const written = replaceRanges(text, opaque, inert);
  const prose = replaceRanges(written, codeRanges(written), inert);
  const names = new Map<string, string>();
  let lastEnd = -1;
  for (const match of prose.matchAll(token)) {
    const name = match[1] ?? match[2] ?? withoutTrailingMarks(match[3]);
    if (name === undefined || name.length > maxNameChars) continue;
    if (!startsWord(prose, match.index, lastEnd)) continue;
    const end = match.index + match[0].length;
    if (match[3] !== undefined && !endsName(prose, end)) continue;
    lastEnd = end;
    const key = name.toLowerCase();
    if (!names.has(key)) names.set(key, name);
  }
  const all = names.delete("all");
  const user = names.delete("user");
  return { names: [...names.values()], all, user, urgent: urgentWord.test(prose) };
}

/** Not inside an email address, a path, an option or another mention. `@a/@b` are two mentions. */
function startsWord(text: string, at: number, lastEnd: number): boolean {
  const before = text[at - 1];
  if (before === undefined) return true;
  if (before === "/") return lastEnd === at - 1;
  if ("@=%$".includes(before)) return false;
  let index = at - 1;
  while (index >= 0 && "_-+".includes(text[index]!)) index--;
  return index < 0 || !spacedLetter.test(text[index]!);
}

/** Not the start of `@scope/package` or of a word with letters that a name cannot have. */
function endsName(text: string, end: number): boolean {
  const next = text[end];
  if (next === undefined) return true;
  if (next === "/") return /[\s@(]/.test(text[end + 1] ?? " ");
  return !spacedLetter.test(next);
}

/** `_@bob_` and `@bob-` mention bob; a name that really ends that way can be quoted. */
function withoutTrailingMarks(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  let end = name.length;
  while ("_-".includes(name[end - 1]!)) end--;
  return name.slice(0, end);
}
