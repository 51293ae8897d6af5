/** Knows the commands to which a value would be more than an argument: those that read their words as code or as names. */
import type { Command } from "./shell-reader.ts";
import type { Place, Word } from "./shell-words.ts";

/** Refuses places among the words behind a command's name. */
type Rule = (name: Word, words: Word[], command: Command) => void;

const mostCandidates = 200;
const assignment = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;

/** Within `a[…]=`, or within `[…]=` among the values of an array. */
const subscript = /^(?:[A-Za-z_]\w*(?:\+?=\()?)?\[[^\]]*$/;

/** All that follows is code. */
const evaluates: Rule = (name, _, command) => refuse(placesBehind(name, command), evaluatedBy(name));

/** `sh -c code`; else the first operand is the script, and without one the script is what comes in. */
const runsScript: Rule = (name, words, command) => {
  if (isGivenCode(words)) return evaluates(name, words, command);
  const script = words.find((_, index) => isOperand(words, index));
  const places = placesBehind(name, command);
  if (!script) return refuse([...places, ...command.input], evaluatedBy(name));
  const path = script.text.includes("/") ? placesOf(script) : [];
  refuse(
    places.filter((place) => place.expression.start < script.end && !path.includes(place)),
    `in what '${name.text}' runs`,
  );
};

/** Of a word that need not be a command at all, only `sh -c` is certain. */
const mayBeShell: Rule = (name, words, command) => {
  if (isGivenCode(words)) evaluates(name, words, command);
};

const takesCode = /^-\w*c|^--command/;

function isGivenCode(words: Word[]): boolean {
  const operand = words.findIndex((_, index) => isOperand(words, index));
  return words.slice(0, Math.max(0, operand)).some(({ text }) => takesCode.test(text));
}

/** Some option makes its words code; without it they are data. */
function evaluatesWith(option: RegExp): Rule {
  return (name, words, command) => {
    if (words.some(({ text }) => option.test(text))) evaluates(name, words, command);
  };
}

/** `exec name`: its first operand is a command. */
const runsCommand: Rule = (_, words) => {
  const operand = words.find((_word, index) => isOperand(words, index));
  const looksUp = words.some(({ text }) => /^-[vV]$/.test(text));
  if (operand && !looksUp) refuseAsCommand(operand);
};

/** `xargs sh -c …` builds code from what comes in. */
const appendsInput: Rule = (name, words, command) => {
  if (words.some((word) => rules.get(baseName(word)) === runsScript)) refuse(command.input, evaluatedBy(name));
};

/** Its words name variables, and a shell evaluates a name such as `a[$(…)]`. */
const namesVariables: Rule = (name, words) => refuse(words.flatMap(placesOf), `in a name for '${name.text}'`);

/** `export NAME=value` is fine, unless the variable computes what it is given. */
const declares: Rule = (name, words) => {
  const computes = words.some(({ text }) => /^[-+]\w*[in]/.test(text));
  const places = words.flatMap((word) => word.places).filter(({ before }) => computes || !assignment.test(before));
  refuse(
    places.map(({ place }) => place),
    `in a name for '${name.text}'`,
  );
};

const formats: Rule = (_, words) => {
  const variable = words.find((_word, index) => words[index - 1]?.text === "-v");
  if (variable) refuse(placesOf(variable), "in a name for 'printf -v'");
  if (words[0]?.text === "") refuse(placesOf(words[0]), "in place of printf's format");
};

/** `test -v name` evaluates the name, and the `-v` may come from a value. */
const tests: Rule = (_, words) => {
  for (const [index, word] of words.entries()) {
    const previous = words[index - 1];
    const operator = previous?.text === "" && previous.places.length > 0;
    if (operator || previous?.text === "-v" || previous?.text === "-R")
      refuse(placesOf(word), "in a name for 'test -v'");
  }
};

const rules = new Map<string, Rule>();
const setRule = (names: string, rule: Rule) => names.split(" ").forEach((name) => rules.set(name, rule));
setRule("eval trap let alias ssh watch parallel", evaluates);
setRule("sh bash rbash dash ash ksh mksh yash zsh fish csh tcsh source .", runsScript);
setRule("su runuser script flock python pypy", evaluatesWith(takesCode));
setRule("node nodejs bun deno", evaluatesWith(/^-\w*[ep]|^--eval|^--print|^eval$/));
setRule("perl ruby lua Rscript osascript", evaluatesWith(/^-\w*[eE]/));
setRule("php", evaluatesWith(/^-\w*r|^--run/));
setRule("pwsh", evaluatesWith(/^-[ce]/i));
setRule("env", evaluatesWith(/^-\w*S|^--split-string/));
setRule("exec command builtin nohup setsid", runsCommand);
setRule("xargs", appendsInput);
setRule("read unset mapfile readarray getopts", namesVariables);
setRule("declare typeset local readonly export", declares);
setRule("printf", formats);
setRule("test [", tests);

const runsBuiltins = new Set(["command", "builtin"]);
/** Any of their words may be the name of another command. */
const wrappers = new Set(
  (
    "builtin busybox chroot command docker doas env exec find ionice kubectl nice nohup nsenter podman setsid stdbuf " +
    "strace sudo taskset timeout unshare xargs"
  ).split(" "),
);

/** Marks the places of one command at which a value would be evaluated again or taken for a name. */
export function judgeCommand(command: Command): void {
  const { words, places, input } = command;
  if (places.length === 0 && input.length === 0) return;
  for (const { place, before } of words.flatMap((word) => word.places)) {
    if (subscript.test(before)) refuse([place], "in the subscript of an array");
  }
  const position = words.findIndex(({ text }) => !assignment.test(text));
  const name = words[position];
  if (!name) return;
  refuseAsCommand(name);
  const last = Math.min(words.length, position + mostCandidates);
  for (let index = position; index < last; index++) {
    ruleFor(words[index]!, name)?.(words[index]!, words.slice(index + 1), command);
  }
}

/** The rule for a word that is the command's name, or may be the name of another command that it runs. */
function ruleFor(word: Word, name: Word): Rule | undefined {
  const rule = rules.get(baseName(word));
  if (word === name) return rule ?? (word.dynamic ? mayBeShell : undefined);
  if (word.text === "." || word.text === "source") return runsBuiltins.has(name.text) ? rule : undefined;
  if (wrappers.has(baseName(name))) return rule;
  return rule === runsScript ? mayBeShell : undefined;
}

/** A path that the author wrote in part is the author's choice; a bare value could name `eval`. */
function refuseAsCommand(word: Word): void {
  if (!word.text.includes("/")) refuse(placesOf(word), "in place of a command");
}

/** Not an option, nor what belongs to the option before it. */
function isOperand(words: Word[], index: number): boolean {
  const before = words[index - 1]?.text ?? "";
  return !/^[-+]./.test(words[index]!.text) && !/^(?:[-+]\w*[oO]|--rcfile|--init-file)$/.test(before);
}

/** The command's file name without its folder and version. */
function baseName({ text }: Word): string {
  const name = text.slice(text.lastIndexOf("/") + 1);
  return rules.has(name) ? name : name.replace(/[\d.]{1,16}$/, "");
}

function evaluatedBy({ text }: Word): string {
  return `in a command that evaluates it again${text === "" ? "" : ` ('${text}')`}`;
}

function placesOf(word: Word): Place[] {
  return word.places.map(({ place }) => place);
}

function placesBehind(word: Word, { places }: Command): Place[] {
  return places.filter(({ expression }) => expression.start >= word.end);
}

function refuse(places: readonly Place[], reason: string): void {
  for (const place of places) place.refused ??= reason;
}
