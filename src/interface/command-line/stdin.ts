/** Reads a command's input from stdin, up to a limit. Empty input is an error. */
import { AppError } from "../../protocol/error.ts";

/** `what` names the input in errors; `hint` says what to do when it is too large. */
export async function readStdin(maxBytes: number, what: string, hint: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of Bun.stdin.stream()) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) throw new AppError("too-large", `${what} can be at most ${maxBytes / 1024} KiB`, { hint });
  }
  // Usually a mistake: a closed stdin looks the same as an empty one.
  if (size === 0) {
    throw new AppError("usage", `expected ${what} on stdin, but it was empty`, {
      hint: 'pass the text as an argument ("" for an empty text)',
    });
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new AppError("usage", `${what} is not valid UTF-8`, {
      hint: "send text, or put binary data into a file",
      cause,
    });
  }
}
