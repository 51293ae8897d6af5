/** Measures what is promised and prints it as a table: `bun bench/bench.ts [--write] [part of a title…]`. */
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import {
  measureColdRun,
  measureIdleDaemon,
  measureLs,
  measureTurnsPerMessage,
  measureVersion,
  measureWarmRuns,
} from "./commands.ts";
import { measureDocumentWrite, measureParallelSends, measureToolCalls } from "./doors.ts";
import { measureBusyAgent, measureFirstCheck, measureHandOvers } from "./latency.ts";
import { measureSdkTurn } from "./models.ts";
import { measureProgramTeam } from "./program-team.ts";
import { measureProgramTurns } from "./programs.ts";
import type { Row } from "./stats.ts";
import { measureLastVote } from "./votes.ts";
import { measureInboxCheck, measureThroughput } from "./store.ts";

const measurements: Record<string, () => Promise<Row | Row[]>> = {
  version: measureVersion,
  ls: measureLs,
  "cold-run": measureColdRun,
  "warm-run": measureWarmRuns,
  "first-check": measureFirstCheck,
  "hand-overs": measureHandOvers,
  "busy-agent": measureBusyAgent,
  "sdk-turn": measureSdkTurn,
  "turns-per-message": measureTurnsPerMessage,
  throughput: measureThroughput,
  "idle-daemon": measureIdleDaemon,
  "inbox-check": measureInboxCheck,
  "tool-calls": measureToolCalls,
  "document-write": measureDocumentWrite,
  "parallel-sends": measureParallelSends,
  "last-vote": measureLastVote,
  "program-turns": measureProgramTurns,
  "program-team": measureProgramTeam,
};

const chosen = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const rows: Row[] = [];
for (const [name, measure] of Object.entries(measurements)) {
  if (chosen.length > 0 && !chosen.some((part) => name.includes(part))) continue;
  const measured = [await measure()].flat();
  rows.push(...measured);
  for (const row of measured)
    process.stdout.write(`${row.met ? "ok  " : "MISS"} ${row.what}: ${row.measured} (goal ${row.goal})\n`);
}

if (process.argv.includes("--write")) {
  const table = rows.map(
    ({ what, goal, measured, met }) => `| ${what} | ${goal} | ${measured} | ${met ? "yes" : "no"} |`,
  );
  const text = `# Measured

${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, Bun ${Bun.version}; medians, with the 95th percentile in brackets.
Made by \`bun bench/bench.ts --write\`; the machine is shared and noisy, so ratios say more than times.

| what | goal | measured | met |
| --- | --- | --- | --- |
${table.join("\n")}
`;
  await Bun.write(join(import.meta.dir, "RESULTS.md"), text);
}
