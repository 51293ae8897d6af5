/** Finds values in commands that do not treat them as plain arguments, but as code or as names. */
import type { Command } from "./shell-reader.ts";
import type { Placeholder, Word } from "./shell-words.ts";

/** Refuses placeholders among the words after a command's name. */
type Check = (name: Word, words: Word[], command: Command) => void;

const maxCandidates = 200;
const assignment = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;

/** Inside `a[…]=`, or inside `[…]=` among the values of an array. */
const subscript = /^(?:[A-Za-z_]\w*(?:\+?=\()?)?\[[^\]]*$/;

/** Everything that follows is code. */
const evaluates: Check = (name, _, command) => refuse(placeholdersAfter(name, command), evaluatedBy(name));

/** `sh -c code`; otherwise the first operand is the script, and without an operand the script is the piped input. */
const runsScript: Check = (name, words, command) => {
  if (isGivenCode(words)) return evaluates(name, words, command);
  const script = words.find((_, index) => isOperand(words, index));
  const placeholders = placeholdersAfter(name, command);
  if (!script) return refuse([...placeholders, ...command.input], evaluatedBy(name));
  const path = script.text.includes("/") ? placeholdersOf(script) : [];
  refuse(
    placeholders.filter((placeholder) => placeholder.expression.start < script.end && !path.includes(placeholder)),
    `in the name of the script that '${name.text}' runs`,
  );
};

/** For a word that may not be a command at all, only `sh -c` is certain. */
const mayBeShell: Check = (name, words, command) => {
  if (isGivenCode(words)) evaluates(name, words, command);
};

const takesCode = /^-\w*c|^--command/;

function isGivenCode(words: Word[]): boolean {
  const operand = words.findIndex((_, index) => isOperand(words, index));
  return words.slice(0, Math.max(0, operand)).some(({ text }) => takesCode.test(text));
}

/** An option that makes the words code; without it they are data. */
function evaluatesWith(option: RegExp): Check {
  return (name, words, command) => {
    if (words.some(({ text }) => option.test(text))) evaluates(name, words, command);
  };
}

/** `exec name`: its first operand is a command. */
const runsCommand: Check = (_, words) => {
  const operand = words.find((_word, index) => isOperand(words, index));
  const looksUp = words.some(({ text }) => /^-[vV]$/.test(text));
  if (operand && !looksUp) refuseAsCommand(operand);
};

/** `xargs sh -c …` builds code from its input. */
const appendsInput: Check = (name, words, command) => {
  if (words.some((word) => checks.get(baseName(word)) === runsScript)) refuse(command.input, evaluatedBy(name));
};

/** Its words are names of variables, and a shell evaluates a name such as `a[$(…)]`. */
const namesVariables: Check = (name, words) =>
  refuse(words.flatMap(placeholdersOf), `in a variable name for '${name.text}'`);

/** `export NAME=value` is fine, unless the variable's attributes make the shell evaluate the value. */
const declares: Check = (name, words) => {
  const computes = words.some(({ text }) => /^[-+]\w*[in]/.test(text));
  const placeholders = words
    .flatMap((word) => word.placeholders)
    .filter(({ before }) => computes || !assignment.test(before));
  refuse(
    placeholders.map(({ placeholder }) => placeholder),
    `in a variable name for '${name.text}'`,
  );
};

const formats: Check = (_, words) => {
  const variable = words.find((_word, index) => words[index - 1]?.text === "-v");
  if (variable) refuse(placeholdersOf(variable), "in a variable name for 'printf -v'");
  if (words[0]?.text === "") refuse(placeholdersOf(words[0]), "as the format of printf");
};

/** `test -v name` evaluates the name, and a value could be the `-v`. */
const tests: Check = (_, words) => {
  for (const [index, word] of words.entries()) {
    const previous = words[index - 1];
    const operator = previous?.text === "" && previous.placeholders.length > 0;
    if (operator || previous?.text === "-v" || previous?.text === "-R")
      refuse(placeholdersOf(word), "in a variable name for 'test -v'");
  }
};

const checks = new Map<string, Check>();
const setCheck = (names: string, check: Check) => names.split(" ").forEach((name) => checks.set(name, check));
setCheck("eval trap let alias ssh watch parallel", evaluates);
setCheck("sh bash rbash dash ash ksh mksh yash zsh fish csh tcsh source .", runsScript);
setCheck("su runuser script flock python pypy", evaluatesWith(takesCode));
setCheck("node nodejs bun deno", evaluatesWith(/^-\w*[ep]|^--eval|^--print|^eval$/));
setCheck("perl ruby lua Rscript osascript", evaluatesWith(/^-\w*[eE]/));
setCheck("php", evaluatesWith(/^-\w*r|^--run/));
setCheck("pwsh", evaluatesWith(/^-[ce]/i));
setCheck("env", evaluatesWith(/^-\w*S|^--split-string/));
setCheck("exec command builtin nohup setsid", runsCommand);
setCheck("xargs", appendsInput);
setCheck("read unset mapfile readarray getopts", namesVariables);
setCheck("declare typeset local readonly export", declares);
setCheck("printf", formats);
setCheck("test [", tests);

const runsBuiltins = new Set(["command", "builtin"]);
/** Any of their words can be the name of another command. */
export const wrappers = new Set(
  (
    "builtin busybox chroot command docker doas env exec find ionice kubectl nice nohup nsenter podman setsid stdbuf " +
    "strace sudo taskset timeout unshare xargs"
  ).split(" "),
);

/** Marks the placeholders of one command whose value would be evaluated again or used as a name. */
export function checkCommand(command: Command): void {
  const { words, placeholders, input } = command;
  if (placeholders.length === 0 && input.length === 0) return;
  for (const { placeholder, before } of words.flatMap((word) => word.placeholders)) {
    if (subscript.test(before)) refuse([placeholder], "in the subscript of an array");
  }
  const position = words.findIndex(({ text }) => !assignment.test(text));
  const name = words[position];
  if (!name) return;
  refuseAsCommand(name);
  const last = Math.min(words.length, position + maxCandidates);
  for (let index = position; index < last; index++) {
    checkFor(words[index]!, name)?.(words[index]!, words.slice(index + 1), command);
  }
}

/** The check for a word that is the command's name, or that can be the name of another command that it runs. */
function checkFor(word: Word, name: Word): Check | undefined {
  const check = checks.get(baseName(word));
  if (word === name) return check ?? (word.dynamic ? mayBeShell : undefined);
  if (word.text === "." || word.text === "source") return runsBuiltins.has(name.text) ? check : undefined;
  if (wrappers.has(baseName(name))) return check;
  return check === runsScript ? mayBeShell : undefined;
}

/** A path that the author wrote in part is the author's choice; a bare value could be `eval`. */
function refuseAsCommand(word: Word): void {
  if (!word.text.includes("/")) refuse(placeholdersOf(word), "as the name of a command");
}

/** Neither an option nor the value of the option before it. */
function isOperand(words: Word[], index: number): boolean {
  const before = words[index - 1]?.text ?? "";
  return !/^[-+]./.test(words[index]!.text) && !/^(?:[-+]\w*[oO]|--rcfile|--init-file)$/.test(before);
}

/** The command's file name without its folder and version. */
function baseName({ text }: Word): string {
  const name = text.slice(text.lastIndexOf("/") + 1);
  return checks.has(name) ? name : name.replace(/[\d.]{1,16}$/, "");
}

function evaluatedBy({ text }: Word): string {
  return `in a command that evaluates it again${text === "" ? "" : ` ('${text}')`}`;
}

function placeholdersOf(word: Word): Placeholder[] {
  return word.placeholders.map(({ placeholder }) => placeholder);
}

function placeholdersAfter(word: Word, { placeholders }: Command): Placeholder[] {
  return placeholders.filter(({ expression }) => expression.start >= word.end);
}

function refuse(placeholders: readonly Placeholder[], reason: string): void {
  for (const placeholder of placeholders) placeholder.refused ??= reason;
}
