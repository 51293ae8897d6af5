/** Asks before something is lost for good; where nobody can be asked, `--yes` has to say so. */
import { AppError } from "../../protocol/error.ts";
import type { Session } from "./session.ts";
import { printable } from "../../text/terminal.ts";
import { writeErr } from "../render/write.ts";

const longestAnswer = 1_000;

/** Throws unless it is agreed to: by `--yes`, or by a person at a terminal. */
export async function confirm({ globals, output }: Session, question: string, isAgreed: boolean): Promise<void> {
  if (isAgreed) return;
  const canAsk = globals.input && !output.json && output.stderr.terminal && process.stdin.isTTY === true;
  if (!canAsk) throw new AppError("usage", question, { hint: "give --yes to do it" });
  writeErr(`${printable(question)} [y/N] `);
  if (!/^\s*y(?:es)?\s*$/i.test(await readLine())) throw new AppError("usage", "nothing was done");
}

async function readLine(): Promise<string> {
  const decoder = new TextDecoder();
  let line = "";
  for await (const chunk of Bun.stdin.stream()) {
    line += decoder.decode(chunk, { stream: true });
    if (line.includes("\n") || line.length > longestAnswer) break;
  }
  return line.split("\n", 1)[0] ?? "";
}
