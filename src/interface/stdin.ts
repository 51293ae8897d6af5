/** What a command is given on stdin, up to a limit. */
import { AppError } from "../protocol/error.ts";

/** `what` names it in the refusal, which ends with `hint`. */
export async function readStdin(mostBytes: number, what: string, hint: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of Bun.stdin.stream()) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > mostBytes) throw new AppError("too-large", `${what} has at most ${mostBytes / 1024} KiB`, { hint });
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
