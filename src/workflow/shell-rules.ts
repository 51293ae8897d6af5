/** Knows the commands in which a value would be more than an argument: those that read their words as code or names. */
import type { Command } from "./shell-reader.ts";
import type { Place, Word } from "./shell-words.ts";

/** Decides about the words behind the command's name. */
type Rule = (name: Word, words: Word[], command: Command) => void;

/** Every word is code, or is sent to something that evaluates it. */
const evaluates: Rule = (name, _, command) => refuse(behind(name, command), evaluatedBy(name.text));

/** `sh -c code`; else the first operand is a script, and without one the script is what comes in. */
const runsScript: Rule = (name, words, command) => {
  if (takesCode(words)) return evaluates(name, words, command);
  const position = words.findIndex(
    (word, index) => !/^[-+]./.test(word.text) && !/^(?:[-+]\w*[oO]|--rcfile|--init-file)$/.test(words[index - 1]?.text ?? ""),
  );
  const script = words[position];
  if (!script) return refuse([...behind(name, command), ...command.input], evaluatedBy(name.text));
  const allowed = script.text.includes("/") ? script.places.map(({ place }) => place) : [];
  const reason = `in what '${name.text}' runs`;
  refuse(
    behind(name, command).filter(({ expression }) => expression.start < script.end),
    reason,
    allowed,
  );
};

/** `python -c code`; otherwise its words are data. */
const takesOption =
  (option: RegExp): Rule =>
  (name, words, command) => {
    if (words.some(({ text }) => option.test(text))) evaluates(name, words, command);
  };

/** The words are names of variables, and a name such as `a[$(…)]` is evaluated. */
const namesVariables: Rule = (name, words) => refuse(words.flatMap(placesOf), `in a name for '${name.text}'`);

/** `NAME=value` is fine unless the variable computes what it is given. */
const declares: Rule = (name, words) => {
  const computes = words.some(({ text }) => /^[-+]\w*[in]/.test(text));
  const named = words.flatMap(({ places }) => places.filter(({ before }) => computes || !assignment.test(before)));
  refuse(
    named.map(({ place }) => place),
    `in a name for '${name.text}'`,
  );
};

const formats: Rule = (_, words) => {
  words.forEach((word, index) => {
    if (words[index - 1]?.text === "-v") refuse(placesOf(word), "in a name for 'printf -v'");
  });
  if (words[0] && words[0].text === "") refuse(placesOf(words[0]), "in place of a format: write printf '%s'");
};

/** `test -v name` evaluates the name, and `-v` may itself be a value. */
const tests: Rule = (_, words) => {
  words.forEach((word, index) => {
    const previous = words[index - 1];
    if (previous && (/^-[vR]$/.test(previous.text) || (previous.text === "" && previous.places.length > 0))) {
      refuse(placesOf(word), "in a name for 'test -v'");
    }
  });
};

const assignment = /^[A-Za-z_]\w*\+?=/;
const shells = ["sh", "bash", "rbash", "dash", "ash", "ksh", "mksh", "yash", "zsh", "fish", "csh", "tcsh"];
const rules = new Map<string, Rule>([
  ...["eval", "trap", "let", "alias", "ssh", "watch", "parallel"].map((name) => [name, evaluates] as const),
  ...[...shells, "source", "."].map((name) => [name, runsScript] as const),
  ...["su", "runuser", "script", "flock", "python", "pypy"].map((name) => [name, takesOption(/^-\w*c|^--command/)] as const),
  ...["node", "nodejs", "bun", "deno"].map((name) => [name, takesOption(/^-\w*[ep]|^--eval|^--print|^eval$/)] as const),
  ...["perl", "ruby", "lua", "Rscript", "osascript"].map((name) => [name, takesOption(/^-\w*[eE]/)] as const),
  ["php", takesOption(/^-\w*r|^--run/)],
  ["pwsh", takesOption(/^-[ce]/i)],
  ...["read", "unset", "mapfile", "readarray", "getopts"].map((name) => [name, namesVariables] as const),
  ...["declare", "typeset", "local", "readonly", "export"].map((name) => [name, declares] as const),
  ["printf", formats],
  ["test", tests],
  ["[", tests],
]);
/** Any of their words may be the name of another command. */
const wrappers = new Set(
  "builtin busybox chroot command docker doas env exec find flock ionice kubectl nice nohup nsenter podman script setsid stdbuf strace sudo taskset time timeout unshare xargs".split(
    " ",
  ),
);

/** Marks the places of one command where a value would be evaluated again, or be taken for a name. */
export function judgeCommand(command: Command): void {
  const { words, places, input } = command;
  if (places.length === 0 && input.length === 0) return;
  for (const { place, before } of words.flatMap((word) => word.places)) {
    if (/^(?:[A-Za-z_]\w*)?\[[^\]]*$/.test(before)) refuse([place], "inside the subscript of an array");
  }
  const position = words.findIndex(({ text }) => !/^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/.test(text));
  const name = words[position];
  if (!name) return;
  if (!name.text.includes("/")) refuse(placesIn(name.places), "in place of the command itself");

  const wrapped = wrappers.has(baseName(name));
  const candidates = wrapped ? words.slice(position) : [name];
  const judged = candidates.findLast((word) => !wrappers.has(baseName(word)) && rules.has(baseName(word)));
  for (const word of candidates) {
    const rule = rules.get(baseName(word));
    if (rule) rule(word, words.slice(words.indexOf(word) + 1), command);
    if (word === judged) break;
  }
}
