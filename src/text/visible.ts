/** Shows text exactly, for a person who decides on it: nothing is removed, and characters that cannot be seen are escaped. */

/**
 * Control, format, private and unassigned characters, line separators, characters that a font may leave out, and spaces
 * other than the ordinary one. U+2800 is a letter, but blank.
 */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** `text` on one line: a line break, too, becomes an escape such as `\u{a}`. */
export function visible(text: string): string {
  return text.replaceAll(invisible, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** Breaks a text into lines of at most `width` columns. Unlike wrapping at words, this keeps every space. */
export function breakLines(text: string, width: number): string[] {
  if (Bun.stringWidth(text) <= width) return [text];
  const lines: string[] = [];
  let [line, columns] = ["", 0];
  for (const character of text) {
    const added = Bun.stringWidth(character);
    if (line !== "" && columns + added > width) {
      lines.push(line);
      [line, columns] = ["", 0];
    }
    line += character;
    columns += added;
  }
  return [...lines, line];
}
