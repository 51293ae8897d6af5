/** Reads the counts that `bun test` prints at its end. */

export type TestSummary = { passed: number; failed: number };

/** Both 0 when there is no summary, as when bun was killed. An error outside any test is among bun's failures. */
export function readSummary(output: string): TestSummary {
  const lines = Bun.stripANSI(output).split("\n");
  const count = (word: "pass" | "fail") => {
    const line = lines.findLast((candidate) => new RegExp(`^ *\\d+ ${word}$`).test(candidate));
    return Number(line?.trim().split(" ")[0] ?? 0);
  };
  return { passed: count("pass"), failed: count("fail") };
}
