/** Says what is wrong with a text that is not YAML in words that help its author. */
import type { YAMLError } from "yaml";

type Explanation = { message: string; hint?: string };

const explanations: Partial<Record<YAMLError["code"], Explanation>> = {
  BLOCK_AS_IMPLICIT_KEY: {
    message: "a value on the same line as its key cannot hold ': '",
    hint: "quote the text, or write | behind the key and the text on the next lines",
  },
  TAB_AS_INDENT: { message: "a tab cannot indent a line", hint: "indent with spaces" },
  NON_STRING_KEY: { message: "a key has to be plain text" },
  RESOURCE_EXHAUSTION: { message: "this is nested too deeply" },
  MULTIPLE_DOCS: { message: "a second document begins here", hint: "a workflow file holds one; remove the --- line" },
  TAG_RESOLVE_FAILED: { message: "tags such as !this are not supported", hint: "remove it" },
};

/** A syntax error, or a warning that would silently change what the author meant. */
export function explainYamlError({ code, message }: YAMLError): Explanation {
  if (code === "BAD_SCALAR_START") {
    return {
      message: `text cannot begin with ${message.at(-1)} unless it is quoted`,
      hint: "quote it, or write | behind the key and the text on the next lines",
    };
  }
  // Cron expressions: `*/5 * * * *` is read as an alias, followed by others.
  if (message.startsWith("Unexpected alias")) {
    return { message: "text cannot begin with * unless it is quoted", hint: "quote it" };
  }
  if (/^Missing closing ['"]quote/.test(message)) return { message: "this quote is never closed" };
  return explanations[code] ?? { message: clip(`${message.charAt(0).toLowerCase()}${message.slice(1)}`) };
}

function clip(text: string): string {
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
