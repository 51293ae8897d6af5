/** Explains YAML syntax errors in a way that helps the author. */
import type { YAMLError } from "yaml";

type Explanation = { message: string; hint?: string };

const explanations: Partial<Record<YAMLError["code"], Explanation>> = {
  BLOCK_AS_IMPLICIT_KEY: {
    message: "a value on the same line as its key cannot contain ': '",
    hint: "quote the text, or write | after the key and the text on the following lines",
  },
  TAB_AS_INDENT: { message: "tabs cannot be used for indentation", hint: "indent with spaces" },
  NON_STRING_KEY: { message: "a key must be plain text" },
  RESOURCE_EXHAUSTION: { message: "this is nested too deeply" },
  MULTIPLE_DOCS: {
    message: "a second document starts here",
    hint: "a workflow file has one document: remove the --- line",
  },
  TAG_RESOLVE_FAILED: { message: "tags such as !this are not supported", hint: "remove the tag" },
};

/** For a syntax error, or for a warning about text that means something else than the author intended. */
export function explainYamlError({ code, message }: YAMLError): Explanation {
  if (code === "BAD_SCALAR_START") {
    return {
      message: `text that starts with ${message.at(-1)} must be quoted`,
      hint: "quote it, or write | after the key and the text on the following lines",
    };
  }
  // The cron expression `*/5 * * * *` is read as an alias, followed by other aliases.
  if (message.startsWith("Unexpected alias")) {
    return { message: "text that starts with * must be quoted", hint: "quote it" };
  }
  if (/^Missing closing ['"]quote/.test(message)) return { message: "this quote is never closed" };
  return explanations[code] ?? { message: clip(`${message.charAt(0).toLowerCase()}${message.slice(1)}`) };
}

function clip(text: string): string {
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
