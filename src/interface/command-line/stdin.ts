/** What a command is given on stdin, up to a limit; and never nothing. */
import { AppError } from "../../protocol/error.ts";

/** `what` names it in the refusal, which ends with `hint`. */
export async function readStdin(mostBytes: number, what: string, hint: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of Bun.stdin.stream()) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > mostBytes) throw new AppError("too-large", `${what} has at most ${mostBytes / 1024} KiB`, { hint });
  }
  // Mostly nobody meant it: a closed stdin looks the same as an empty one.
  if (size === 0) {
    throw new AppError("usage", `${what} was to come from stdin, and nothing came`, {
      hint: 'give the text as a word behind the name; "" stands for an empty one',
    });
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new AppError("usage", `${what} is not valid UTF-8`, {
      hint: "send text, or put the bytes into a file",
      cause,
    });
  }
}
