/** Reads the counts that `bun test` prints at the end. */

export type TestSummary = { passed: number; failed: number };

/** Both 0 if there is no summary, for example if bun was killed. Bun counts an error outside of a test as a failure. */
export function readSummary(output: string): TestSummary {
  const lines = Bun.stripANSI(output).split("\n");
  const count = (word: "pass" | "fail") => {
    const line = lines.findLast((candidate) => new RegExp(`^ *\\d+ ${word}$`).test(candidate));
    return Number(line?.trim().split(" ")[0] ?? 0);
  };
  return { passed: count("pass"), failed: count("fail") };
}
