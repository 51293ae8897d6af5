/**
 * Reads the front matter of a SKILL.md: `key: value` lines between two `---`.
 *
 * Not a YAML parser on purpose: real descriptions contain colons and quotes that YAML rejects, and every turn of an
 * agent with skills would have to load the parser.
 */

export type FrontMatter = { fields: Record<string, string>; body: string };

export function readFrontMatter(text: string): FrontMatter {
  const match = /^\uFEFF?---[ \t]*\r?\n([^]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  if (!match) return { fields: {}, body: text };
  const fields: Record<string, string> = {};
  let key: string | undefined;
  for (const line of (match[1] ?? "").split(/\r?\n/)) {
    const field = /^([A-Za-z][\w-]*):(?:\s+(.*)|\s*)$/.exec(line);
    if (field) {
      key = field[1] ?? "";
      fields[key] = (field[2] ?? "").trim();
    } else if (key !== undefined && /^\s+\S/.test(line)) {
      // A value that continues: a block, or plain text on several lines.
      fields[key] = `${(fields[key] ?? "").replace(/^[|>][+-]?$/, "")} ${line.trim()}`.trim();
    }
  }
  for (const [name, value] of Object.entries(fields)) fields[name] = unquote(value);
  return { fields, body: text.slice(match[0].length) };
}

function unquote(value: string): string {
  const quoted = /^(["'])(.*)\1$/s.exec(value);
  if (!quoted) return value;
  return quoted[1] === '"' ? (quoted[2] ?? "").replaceAll(/\\(["\\])/g, "$1") : (quoted[2] ?? "").replaceAll("''", "'");
}
