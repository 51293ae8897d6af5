/**
 * `search_code`: finds lines by a regular expression.
 *
 * The search is a process of its own: an expression that backtracks for ever cannot be interrupted, only killed.
 */
import { z } from "zod";
import { reasonOf } from "../../../protocol/error.ts";
import { KiB } from "../../../protocol/limits.ts";
import { selfCommand, workerFolder } from "../../../system/self.ts";
import { runChild } from "../../child.ts";
import { createCollector } from "../../../text/clip.ts";
import type { SearchRequest } from "./search-process.ts";
import { defineTool } from "../tool.ts";

const defaultMatches = 100;
const maxMatches = 1_000;
const maxContext = 10;
const patternChars = 10_000;
const defaultSeconds = 20;
const maxSeconds = 120;
/** The search itself stops before this; what is printed beyond it is a defect. */
const outputBytes = 256 * KiB;

export const searchCode = defineTool({
  name: "search_code",
  description:
    "Searches the files inside the working folder line by line with a regular expression (JavaScript). Gives path:line:text. Leaves out .git, node_modules, binary files and what .gitignore names.",
  input: z.strictObject({
    pattern: z.string().min(1).max(patternChars).describe("The regular expression."),
    path: z.string().min(1).default(".").describe("A folder or a file; the working folder unless said."),
    glob: z.string().min(1).optional().describe("Only files whose path fits, such as *.ts or src/**/*.{js,ts}."),
    ignore_case: z.boolean().default(false),
    context: z.int().min(0).max(maxContext).default(0).describe("Lines to show before and after each match."),
    limit: z
      .int()
      .min(1)
      .max(maxMatches)
      .default(defaultMatches)
      .describe(`How many matches; ${defaultMatches} unless said.`),
    ignored: z.boolean().default(false).describe("Also what .gitignore leaves out."),
    timeout: z
      .number()
      .positive()
      .max(maxSeconds)
      .default(defaultSeconds)
      .describe(`Seconds until it is stopped; ${defaultSeconds} unless said, at most ${maxSeconds}.`),
  }),
  async run({ timeout, ...args }, { cwd, signal }) {
    checkPattern(args.pattern);
    const request: SearchRequest = { ...args, cwd };
    const [found, errors] = [createCollector(outputBytes, 0), createCollector(0, KiB)];
    const deadline = AbortSignal.timeout(timeout * 1_000);
    const end = await runChild({
      argv: selfCommand("worker", "search", JSON.stringify(request)),
      cwd: workerFolder,
      env: {},
      signal: AbortSignal.any([signal, deadline]),
      onOutput: found.push,
      onErrorOutput: errors.push,
    });
    signal.throwIfAborted();
    const text = found.text().replace(/\n$/, "");
    if (deadline.aborted) {
      const advice = `[stopped after ${timeout} s: use a simpler pattern, or narrow it with path or glob]`;
      return { ok: text !== "", text: [text, advice].filter(Boolean).join("\n") };
    }
    if (end.code !== 0) throw new Error(errors.text().trim() || "the search ended before its time");
    return { ok: true, text: text || "[no match]" };
  },
});

function checkPattern(pattern: string): void {
  try {
    RegExp(pattern);
  } catch (error) {
    const reason = reasonOf(error);
    throw new Error(`${reason}; escape characters that are meant as they are, such as \\( or \\[`, {
      cause: error,
    });
  }
}
