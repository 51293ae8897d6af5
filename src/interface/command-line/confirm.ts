/** Asks for confirmation before data is deleted. Without a terminal, `--yes` is required. */
import { AppError } from "../../protocol/error.ts";
import type { Session } from "./session.ts";
import { printable } from "../../text/terminal.ts";
import { writeErr } from "../render/write.ts";

const maxAnswerChars = 1_000;

/** Throws unless confirmed, by `--yes` or by a person at a terminal. */
export async function confirm({ globals, output }: Session, question: string, isConfirmed: boolean): Promise<void> {
  if (isConfirmed) return;
  const canAsk = globals.input && !output.json && output.stderr.terminal && process.stdin.isTTY === true;
  if (!canAsk) throw new AppError("usage", `needs confirmation: ${question}`, { hint: "pass --yes to confirm" });
  writeErr(`${printable(question)} [y/N] `);
  if (!/^\s*y(?:es)?\s*$/i.test(await readLine())) throw new AppError("usage", "cancelled; nothing was changed");
}

async function readLine(): Promise<string> {
  const decoder = new TextDecoder();
  let line = "";
  for await (const chunk of Bun.stdin.stream()) {
    line += decoder.decode(chunk, { stream: true });
    if (line.includes("\n") || line.length > maxAnswerChars) break;
  }
  return line.split("\n", 1)[0] ?? "";
}
