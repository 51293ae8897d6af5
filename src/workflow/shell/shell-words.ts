/** Reads the words of a shell script, quotes and expansions included, and notes what surrounds each `${{ }}`. */
import type { Expression } from "../expression/interpolate.ts";

/** One `${{ }}` of a script. */
export type Place = {
  expression: Expression;
  quoting: "plain" | "double";
  /** Why no value may stand here, as the end of the sentence "… cannot stand …". */
  refused?: string;
};

export type Word = {
  start: number;
  end: number;
  /** What is known of it, without its quotes; places and expansions add nothing. */
  text: string;
  /** Whether the shell computes a part of it. */
  dynamic: boolean;
  quoted: boolean;
  /** Places of the word itself, not of commands within it, and what of `text` stands before each. */
  places: { place: Place; before: string }[];
};

/** What the script opens and does not close. */
export type Unclosed = { offset: number; what: string };

const deepest = 50;
const endsWord = /[ \t\n;&|()<>]/;

/** A cursor over the script. It passes every expression exactly once, in order, and makes a place of it. */
export abstract class WordReader {
  readonly places: Place[] = [];
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
    const word: Word = { start: this.at, end: this.at, text: "", dynamic: false, quoted: false, places: [] };
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

  /** One piece of what plain and double-quoted text have in common. */
  #readPart(word: Word, quoting: Place["quoting"]): void {
    const char = this.script[this.at]!;
    if (this.#expressionHere()) {
      word.places.push({ place: this.add(quoting), before: word.text });
    } else if (char === "\\") {
      word.quoted = true;
      this.at++;
      if (this.#expressionHere()) this.add(quoting, "behind a backslash");
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

  #readDollar(word: Word, quoting: Place["quoting"]): void {
    const start = this.at++;
    if (this.#expressionHere()) {
      this.add(quoting, "behind a $");
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

  /** Passes over text up to `end`, refusing every place in it. */
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

  /** Passes over brackets and what is nested in them, refusing every place. */
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
    if (this.#depth === deepest) {
      this.note(opened, "commands are nested too deeply");
      this.passTo(this.script.length, "so deep inside other commands");
      return;
    }
    this.#depth++;
    this.readList(opened);
    this.#depth--;
  }

  /** Passes over everything before `end`; places in it are refused, or inert when there is no reason to. */
  protected passTo(end: number, refused?: string): void {
    for (let next = this.#next; next && next.start < end; next = this.#next) this.add("plain", refused);
    this.at = Math.max(this.at, end);
  }

  /** Makes a place of the next expression and goes behind it. */
  protected add(quoting: Place["quoting"], refused?: string): Place {
    const expression = this.#next!;
    const place: Place = { expression, quoting, ...(refused !== undefined && { refused }) };
    this.places.push(place);
    this.at = expression.end;
    return place;
  }

  protected refuseFrom(first: number, reason: string): void {
    for (const place of this.places.slice(first)) place.refused ??= reason;
  }

  protected note(offset: number, what: string): void {
    this.unclosed ??= { offset, what };
  }

  /** Goes behind what `pattern`, a sticky one, matches here. */
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
    return this.#expressions[this.places.length];
  }

  #expressionHere(): boolean {
    return this.#next?.start === this.at;
  }
}
