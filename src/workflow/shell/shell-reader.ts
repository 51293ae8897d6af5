/** Parses a shell script as far as needed to know which command each `${{ }}` belongs to. Never runs or changes it. */
import type { Expression } from "../expression/interpolate.ts";
import { type Placeholder, type Unclosed, type Word, WordReader } from "./shell-words.ts";

export type Command = {
  words: Word[];
  /** All placeholders from its first character to its last, including those of nested commands. */
  placeholders: Placeholder[];
  /** Placeholders in the commands that are piped into it. */
  input: Placeholder[];
};

/** A block such as `if … fi`, and how many placeholders come before its current pipeline and its current pipe. */
type Frame = { kind: "list" | "case-pattern" | "case-body"; pipeline: number; piped: number };

const opensBlock = new Set(["if", "while", "until", "for", "select", "{"]);
const closesBlock = new Set(["fi", "done", "esac", "}"]);
const precedesCommand = new Set(["if", "then", "else", "elif", "while", "until", "do", "{", "!", "time", "coproc"]);

/** Finds the placeholders of `script`, calling `onCommand` for each command as it ends, nested ones first. */
export function readShell(
  script: string,
  expressions: readonly Expression[],
  onCommand: (command: Command) => void,
): { placeholders: Placeholder[]; unclosed: Unclosed | undefined } {
  const reader = new ShellReader(script, expressions, onCommand);
  reader.readAll();
  return { placeholders: reader.placeholders, unclosed: reader.unclosed };
}

class ShellReader extends WordReader {
  readonly #onCommand: (command: Command) => void;
  #heredocs: { delimiter: string; stripTabs: boolean }[] = [];

  constructor(script: string, expressions: readonly Expression[], onCommand: (command: Command) => void) {
    super(script, expressions);
    this.#onCommand = onCommand;
  }

  readAll(): void {
    while (this.at < this.script.length) this.readList(undefined);
  }

  protected override readList(opened: number | undefined): void {
    const frames = [this.#newFrame("list")];
    let words: Word[] = [];
    let first = this.placeholders.length;
    const frame = () => frames.at(-1)!;
    const endCommand = () => {
      const input = this.placeholders.slice(frame().pipeline, frame().piped);
      if (words.length > 0) this.#onCommand({ words, placeholders: this.placeholders.slice(first), input });
      words = [];
      first = this.placeholders.length;
    };
    const endPipeline = () => {
      endCommand();
      frame().pipeline = frame().piped = this.placeholders.length;
    };

    while (this.at < this.script.length) {
      if (frame().kind === "case-pattern") {
        this.#readCasePattern(frames);
        words = [];
        first = this.placeholders.length;
      } else if (this.#skipBlanks()) {
        continue;
      } else if (this.take(/\)/y)) {
        endCommand();
        return;
      } else if (this.take(/\n/y)) {
        endPipeline();
        this.#passHeredocs();
      } else if (this.script[this.at] === "#") {
        this.#passComment();
      } else if (this.take(/;;&?|;&/y)) {
        endPipeline();
        if (frame().kind === "case-body") frame().kind = "case-pattern";
      } else if (this.take(/;|\|\||&&|&(?!>)/y)) {
        endPipeline();
      } else if (this.take(/\|&?/y)) {
        endCommand();
        frame().piped = this.placeholders.length;
      } else if (this.take(/\(/y)) {
        words = this.#readParenthesis(words);
      } else if (!this.#readRedirection()) {
        const word = this.readWord();
        if (this.#isDescriptor(word)) continue;
        words.push(word);
        if (words.length === 1 && this.#readKeyword(word, frames)) words = [];
      }
    }
    endCommand();
    if (opened !== undefined) this.note(opened, "the bracket ( is never closed");
  }

  /** Whether the next word is the first of another command. */
  #readKeyword({ text, quoted, dynamic, placeholders }: Word, frames: Frame[]): boolean {
    if (quoted || dynamic || placeholders.length > 0) return false;
    if (closesBlock.has(text)) {
      if (frames.length > 1) frames.pop();
      return true;
    }
    if (opensBlock.has(text)) frames.push(this.#newFrame("list"));
    if (text === "[[") this.#readConditional();
    if (text === "for" && this.take(/[ \t]*\(\(/y)) this.skipBalanced("(", ")", 2, "inside (( ))");
    if (text === "function") {
      this.#skipBlanks();
      this.readWord();
      this.take(/[ \t]*\([ \t]*\)/y);
      return true;
    }
    if (text === "case") {
      this.#skipBlanks();
      this.readWord();
      this.#skipLines();
      this.take(/in(?=[ \t\n])/y);
      frames.push(this.#newFrame("case-pattern"));
    }
    return precedesCommand.has(text);
  }

  /** Reads up to the `)` after the patterns of one branch, or to the `esac` after the last. */
  #readCasePattern(frames: Frame[]): void {
    frames.pop();
    this.#skipLines();
    if (this.take(/esac(?=[ \t\n;&|()<>]|$)/y)) return;
    this.take(/\(/y);
    while (this.at < this.script.length) {
      this.#skipLines();
      if (this.take(/\)/y)) break;
      if (!this.take(/[|;&<>(]/y)) this.readWord();
    }
    frames.push(this.#newFrame("case-body"));
  }

  /** After a `(`: a subshell, `(( ))`, the values of an array, or the `()` of a function. */
  #readParenthesis(words: Word[]): Word[] {
    const opened = this.at - 1;
    const last = words.at(-1);
    if (last?.end === opened && /^\w+\+?=$/.test(last.text)) this.#readArray(last);
    else if (words.length === 1 && this.take(/[ \t]*\)/y)) return [];
    else if (words.length === 0 && this.take(/\(/y)) this.skipBalanced("(", ")", 2, "inside (( ))");
    else this.nest(opened);
    return words;
  }

  #readArray(assignment: Word): void {
    while (this.at < this.script.length) {
      this.#skipLines();
      if (this.take(/\)/y)) return;
      if (this.take(/[;&|<>(]/y)) continue;
      for (const { placeholder, before } of this.readWord().placeholders) {
        assignment.placeholders.push({ placeholder, before: `${assignment.text}(${before}` });
      }
    }
  }

  #readRedirection(): boolean {
    const operator = this.take(/&>>?|<<<|<<-?|[<>](?!\()[&>|]?/y);
    if (operator === undefined) return false;
    this.#skipBlanks();
    const first = this.placeholders.length;
    const { text } = this.readWord();
    if (operator === "<<" || operator === "<<-") {
      this.refuseFrom(first, "in the delimiter of a heredoc");
      this.#heredocs.push({ delimiter: text, stripTabs: operator === "<<-" });
    }
    return true;
  }

  #passHeredocs(): void {
    for (const { delimiter, stripTabs } of this.#heredocs.splice(0)) {
      let end = this.at;
      for (let line: string | undefined; line !== delimiter && end < this.script.length;) {
        const newline = this.script.indexOf("\n", end);
        const lineEnd = newline === -1 ? this.script.length : newline;
        line = this.script.slice(end, lineEnd);
        if (stripTabs) line = line.replace(/^\t+/, "");
        end = Math.min(lineEnd + 1, this.script.length);
      }
      this.passTo(end, "inside a heredoc");
    }
  }

  /** A comment has no effect, so it can contain placeholders. */
  #passComment(): void {
    const newline = this.script.indexOf("\n", this.at);
    this.passTo(newline === -1 ? this.script.length : newline);
  }

  /** `[[ … ]]`, whose operators evaluate their operands. */
  #readConditional(): void {
    const first = this.placeholders.length;
    while (this.at < this.script.length) {
      this.#skipLines();
      if (this.take(/[;&|<>()]/y)) continue;
      const { text, quoted } = this.readWord();
      if (text === "]]" && !quoted) break;
    }
    this.refuseFrom(first, "inside [[ ]]");
  }

  /** The `2` of `2>file`, or the `{name}` of `{name}>file`. */
  #isDescriptor({ text, quoted, placeholders }: Word): boolean {
    return (
      !quoted && placeholders.length === 0 && /^(?:\d+|\{\w+\})$/.test(text) && /[<>]/.test(this.script[this.at] ?? "")
    );
  }

  #skipBlanks(): boolean {
    return this.take(/(?:[ \t]|\\\n)+/y) !== undefined;
  }

  /** Also skips line ends and comments, inside a construct that continues after them. */
  #skipLines(): void {
    for (;;) {
      if (this.#skipBlanks()) continue;
      if (this.script[this.at] === "#") this.#passComment();
      else if (this.take(/\n/y)) this.#passHeredocs();
      else return;
    }
  }

  #newFrame(kind: Frame["kind"]): Frame {
    return { kind, pipeline: this.placeholders.length, piped: this.placeholders.length };
  }
}
