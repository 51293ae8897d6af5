/** Parses the words of a shell script, including quotes and expansions, and records the context of each `${{ }}`. */
import type { Expression } from "../expression/interpolate.ts";

/** One `${{ }}` of a script. */
export type Placeholder = {
  expression: Expression;
  quoting: "plain" | "double";
  /** Why a value cannot be used here, as the end of the sentence "… cannot be used …". */
  refused?: string;
};

export type Word = {
  start: number;
  end: number;
  /** The literal part of the word, without quotes; placeholders and expansions add nothing. */
  text: string;
  /** Whether it contains an expansion. */
  dynamic: boolean;
  quoted: boolean;
  /** Placeholders of the word itself, not of commands inside it, and the part of `text` before each. */
  placeholders: { placeholder: Placeholder; before: string }[];
};

/** A quote or bracket that the script does not close. */
export type Unclosed = { offset: number; what: string };

const maxDepth = 50;
const endsWord = /[ \t\n;&|()<>]/;

/** A cursor over the script. It passes every expression exactly once, in order, and records it as a placeholder. */
export abstract class WordReader {
  readonly placeholders: Placeholder[] = [];
  unclosed: Unclosed | undefined;
  protected readonly script: string;
  protected at = 0;
  readonly #expressions: readonly Expression[];
  #depth = 0;

  constructor(script: string, expressions: readonly Expression[]) {
    this.script = script;
    this.#expressions = expressions;
  }

  /** Reads commands up to the `)` that ends them. */
  protected abstract readList(opened: number): void;

  protected readWord(): Word {
    const word: Word = { start: this.at, end: this.at, text: "", dynamic: false, quoted: false, placeholders: [] };
    while (this.at < this.script.length) {
      const char = this.script[this.at]!;
      if (this.take(/[<>]\(/y)) {
        word.dynamic = true;
        this.nest(this.at - 1);
      } else if (endsWord.test(char)) {
        break;
      } else if (char === "'") {
        word.quoted = true;
        const start = this.at++;
        this.#skipQuoted("'", start, "inside single quotes");
        word.text += this.script.slice(start + 1, this.at - 1);
      } else if (char === '"') {
        word.quoted = true;
        this.#readDouble(word);
      } else {
        this.#readPart(word, "plain");
      }
    }
    word.end = this.at;
    return word;
  }

  #readDouble(word: Word): void {
    const start = this.at++;
    while (this.at < this.script.length) {
      if (this.take(/"/y)) return;
      this.#readPart(word, "double");
    }
    this.note(start, 'the quote " is never closed');
  }

  /** Reads one part of a plain or double-quoted text. */
  #readPart(word: Word, quoting: Placeholder["quoting"]): void {
    const char = this.script[this.at]!;
    if (this.#expressionHere()) {
      word.placeholders.push({ placeholder: this.add(quoting), before: word.text });
    } else if (char === "\\") {
      word.quoted = true;
      this.at++;
      if (this.#expressionHere()) this.add(quoting, "after a backslash");
      else word.text += this.script[this.at++] ?? "";
    } else if (char === "`") {
      word.dynamic = true;
      this.#skipQuoted("`", this.at++, "inside backticks");
    } else if (char === "$") {
      this.#readDollar(word, quoting);
    } else {
      word.text += char;
      this.at++;
    }
  }

  #readDollar(word: Word, quoting: Placeholder["quoting"]): void {
    const start = this.at++;
    if (this.#expressionHere()) {
      this.add(quoting, "after a $");
      return;
    }
    if (quoting === "plain" && this.take(/'/y)) {
      word.quoted = true;
      this.#skipQuoted("'", start, "inside single quotes", true);
      return;
    }
    word.dynamic = true;
    if (this.take(/\(\(/y)) this.skipBalanced("(", ")", 2, "inside $(( ))");
    else if (this.take(/\(/y)) this.nest(start);
    else if (this.take(/\{/y)) this.skipBalanced("${", "}", 1, "inside ${ }");
    else if (this.take(/\[/y)) this.skipBalanced("[", "]", 1, "inside $[ ]");
    else this.take(/\w+|[@*#?$!-]/y);
  }

  /** Skips text up to `end` and refuses every placeholder in it. */
  #skipQuoted(end: string, opened: number, reason: string, escapes = end !== "'"): void {
    while (this.at < this.script.length) {
      if (this.#expressionHere()) this.add("plain", reason);
      else if (this.script[this.at] === end) {
        this.at++;
        return;
      } else this.#passCharacter(escapes);
    }
    this.note(opened, `the quote ${end} is never closed`);
  }

  /** Skips brackets and their content and refuses every placeholder in it. */
  protected skipBalanced(open: string, close: string, depth: number, reason: string): void {
    const opened = this.at - depth;
    while (this.at < this.script.length && depth > 0) {
      const char = this.script[this.at]!;
      if (this.#expressionHere()) this.add("plain", reason);
      else if (char === "'" || char === '"' || char === "`") this.#skipQuoted(char, this.at++, reason);
      else {
        if (this.script.startsWith(open, this.at)) depth++;
        else if (char === close) depth--;
        this.#passCharacter(true);
      }
    }
    if (depth > 0) this.note(opened, `the bracket ${open} is never closed`);
  }

  /** Reads the commands of a substitution; the limit keeps hostile scripts from exhausting the stack. */
  protected nest(opened: number): void {
    if (this.#depth === maxDepth) {
      this.note(opened, "commands are nested too deeply");
      this.passTo(this.script.length, "nested this deeply in other commands");
      return;
    }
    this.#depth++;
    this.readList(opened);
    this.#depth--;
  }

  /** Skips everything before `end`. Placeholders in it are refused for the reason in `refused`, or ignored without one. */
  protected passTo(end: number, refused?: string): void {
    for (let next = this.#next; next && next.start < end; next = this.#next) this.add("plain", refused);
    this.at = Math.max(this.at, end);
  }

  /** Records the next expression as a placeholder and moves past it. */
  protected add(quoting: Placeholder["quoting"], refused?: string): Placeholder {
    const expression = this.#next!;
    const placeholder: Placeholder = { expression, quoting, ...(refused !== undefined && { refused }) };
    this.placeholders.push(placeholder);
    this.at = expression.end;
    return placeholder;
  }

  protected refuseFrom(first: number, reason: string): void {
    for (const placeholder of this.placeholders.slice(first)) placeholder.refused ??= reason;
  }

  protected note(offset: number, what: string): void {
    this.unclosed ??= { offset, what };
  }

  /** Moves past the match of `pattern`, which must be sticky. */
  protected take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.script)?.[0];
    this.at += match?.length ?? 0;
    return match;
  }

  #passCharacter(escapes: boolean): void {
    if (escapes && this.script[this.at++] === "\\" && !this.#expressionHere()) this.at++;
    else if (!escapes) this.at++;
  }

  get #next(): Expression | undefined {
    return this.#expressions[this.placeholders.length];
  }

  #expressionHere(): boolean {
    return this.#next?.start === this.at;
  }
}
