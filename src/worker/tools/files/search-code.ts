/**
 * `search_code`: finds lines by a regular expression.
 *
 * The search runs in its own process: an expression that backtracks forever cannot be interrupted, only killed.
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
/** The search stops before this limit; more output would be a bug. */
const outputBytes = 256 * KiB;

export const searchCode = defineTool({
  name: "search_code",
  description:
    "Searches the files inside the working folder line by line with a JavaScript regular expression. Returns path:line:text. Excludes .git, node_modules, binary files and files that .gitignore names.",
  input: z.strictObject({
    pattern: z.string().min(1).max(patternChars).describe("The regular expression."),
    path: z.string().min(1).default(".").describe("A folder or a file. Default: the working folder."),
    glob: z.string().min(1).optional().describe("Only files whose path matches, such as *.ts or src/**/*.{js,ts}."),
    ignore_case: z.boolean().default(false),
    context: z.int().min(0).max(maxContext).default(0).describe("Lines to show before and after each match."),
    limit: z
      .int()
      .min(1)
      .max(maxMatches)
      .default(defaultMatches)
      .describe(`Max matches to return. Default: ${defaultMatches}.`),
    ignored: z.boolean().default(false).describe("Include files that .gitignore excludes."),
    timeout: z
      .number()
      .positive()
      .max(maxSeconds)
      .default(defaultSeconds)
      .describe(`Timeout in seconds. Default: ${defaultSeconds}, max: ${maxSeconds}.`),
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
      const advice = `[stopped after ${timeout} s: use a simpler pattern, or narrow the search with path or glob]`;
      return { ok: text !== "", text: [text, advice].filter(Boolean).join("\n") };
    }
    if (end.code !== 0) throw new Error(errors.text().trim() || "the search ended unexpectedly");
    return { ok: true, text: text || "[no match]" };
  },
});

function checkPattern(pattern: string): void {
  try {
    RegExp(pattern);
  } catch (error) {
    const reason = reasonOf(error);
    throw new Error(`${reason}; escape literal characters, such as \\( or \\[`, {
      cause: error,
    });
  }
}
