/**
 * Finds the commands that a script may run, spelled plainly: without quotes, extra spaces, paths, assignments, options
 * before the subcommand, and programs that run other programs. For entries that forbid commands: when in doubt, it may.
 */
import { wrappers } from "./shell-commands.ts";
import { type Command, readShell } from "./shell-reader.ts";
import type { Word } from "./shell-words.ts";

/** `open`: how the command continues after `text` is not known before it runs. */
export type PossibleCommand = { text: string; open: boolean };

/** A word, and whether it can expand to something else after its first characters, `text`. */
type Part = PossibleCommand;

const anything: PossibleCommand = { text: "", open: true };
/** Code in code in code. */
const maxDepth = 5;
/** A command with more words behind a wrapper is not searched. */
const maxWords = 200;

const assignment = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;
const shells = new Set("sh bash rbash dash ash ksh mksh yash zsh fish csh tcsh".split(" "));
const takesCode = new Set([...shells, ..."su runuser script flock env".split(" ")]);
const codeOption = /^-\w*[cS]|^--(?:command|split-string)/;
const evaluators = new Set("eval ssh watch trap parallel".split(" "));
const appendsInput = new Set(["xargs", "parallel"]);
const moreWrappers = new Set(
  "caffeinate chrt eval faketime firejail flock gosu ltrace parallel proxychains runuser script setarch ssh su systemd-run time torsocks toybox trap unbuffer watch bwrap".split(
    " ",
  ),
);

const quotedParts = /'[^']*'|"(?:\\[^]|[^"\\])*"|\\[^]/g;
/** File name patterns and lists in braces. */
const globs = /[*?[]|\{[^}]*(?:,|\.\.)/;

export function possibleCommands(script: string, depth = 0): PossibleCommand[] {
  if (depth > maxDepth) return [anything];
  // The shell joins such lines, even in the middle of a word.
  const joined = script.replaceAll("\\\n", "");
  const found: PossibleCommand[] = [];
  const { unclosed } = readShell(joined, [], ({ words }: Command) => {
    const first = words.findIndex(({ text }) => !assignment.test(text));
    if (first >= 0)
      found.push(
        ...variantsOf(
          words.slice(first).map((word) => readPart(word, joined)),
          depth,
        ),
      );
  });
  return unclosed ? [...found, anything] : found;
}

function readPart(word: Word, script: string): Part {
  const source = script.slice(word.start, word.end);
  const isOpen = word.dynamic || source.includes("$'") || globs.test(source.replaceAll(quotedParts, ""));
  if (!isOpen) return { text: word.text, open: false };
  return { text: /^"?([^$`*?[{'"\\<>]*)/.exec(source)?.[1] ?? "", open: true };
}

/** The command itself, and those that it runs. */
function variantsOf(parts: Part[], depth: number): PossibleCommand[] {
  const [name, ...rest] = parts;
  if (!name) return [];
  // The folder of a program does not matter, so a known beginning does not help either.
  if (name.open) return [anything];
  const found = withCode(name.text, rest, depth);
  const base = baseName(name.text);
  if (!wrappers.has(base) && !moreWrappers.has(base) && !base.startsWith("-")) return found;
  if (rest.length > maxWords) return [...found, anything];
  const input = appendsInput.has(base) ? [anything] : [];
  const inner = rest.flatMap(({ text, open }, at) =>
    open ? [] : withCode(text, [...rest.slice(at + 1), ...input], depth),
  );
  const first = rest.find(({ text, open }) => open || !isOptionOrValue(text));
  return [...found, ...inner, ...(first?.open ? [anything] : [])];
}

/** A command by the name and by the path of its program, and the code that it evaluates. */
function withCode(name: string, rest: Part[], depth: number): PossibleCommand[] {
  const base = baseName(name);
  const spelled = withoutOptions(rest).flatMap((words) =>
    [...new Set([name, base])].map((text) => join([{ text, open: false }, ...words])),
  );
  const code = codeOf(base, rest).flatMap(({ text, open }) => (open ? [anything] : possibleCommands(text, depth + 1)));
  return [...spelled, ...code];
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The words with the options before the first operand removed, each with and without a value: `-C . push` is `push`. */
function withoutOptions(words: Part[]): Part[][] {
  const starts = new Set([0]);
  // A set visits what is added while it is read.
  for (const start of starts) {
    if (!words[start]?.text.startsWith("-") || start > maxWords) continue;
    starts.add(start + 1).add(start + 2);
  }
  return [...starts].map((start) => words.slice(start));
}

/** The words of a command that a shell evaluates. */
function codeOf(name: string, words: Part[]): Part[] {
  if (evaluators.has(name)) return [...words, join(words)];
  if (!takesCode.has(name)) return [];
  const option = words.findIndex(({ text }) => codeOption.test(text));
  if (option >= 0) {
    const [first, ...more] = words.slice(option);
    const attached = first?.text.replace(/^-\w[\w]*?[cS]|^--[a-z-]+=?/, "") ?? "";
    return [{ text: attached, open: first?.open === true }, ...more.slice(0, 1)];
  }
  const readsInput = shells.has(name) && words.every(({ text, open }) => !open && /^[-+]/.test(text));
  return readsInput ? [anything] : [];
}

function isOptionOrValue(text: string): boolean {
  return /^-|^[\d.]+[smhd]?$/.test(text) || assignment.test(text);
}

/** Up to the first word that is open. */
function join(parts: Part[]): PossibleCommand {
  const at = parts.findIndex(({ open }) => open);
  const known = at < 0 ? parts : parts.slice(0, at + 1);
  return { text: known.map(({ text }) => text).join(" "), open: at >= 0 };
}
