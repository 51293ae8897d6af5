/** Three third-party programs in one team, on a daemon in its own process. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findMarked } from "../src/system/process.ts";
import type { Reply } from "../test/fixtures/model-api/exchange.ts";
import { type Rule, startModelApi } from "../test/fixtures/model-api/model-api.ts";
import { testProgram } from "../test/fixtures/test-programs.ts";
import { launcher, mustRun, withHome } from "./home.ts";
import { format, type Row } from "./stats.ts";

const send = (message: string): Reply => ({ calls: [{ tool: "channel_send", args: { message } }] });
const passOn = (name: string, said: RegExp, message: string): Rule => ({
  told: new RegExp(`You are "${name}"`),
  said,
  offers: "channel_send",
  steps: [send(message), { text: "Passed on." }],
});
const rules = [
  passOn("ada", /begin/, "@bruno your turn"),
  passOn("bruno", /your turn/, "@carla the last one"),
  passOn("carla", /the last one/, "@user done"),
];

export async function measureProgramTeam(): Promise<Row> {
  return withHome(async (home) => {
    const api = await startModelApi(rules);
    const agent = (backend: "claude" | "codex" | "opencode", model: string, provider: string, path = "") => ({
      backend,
      model,
      command: [testProgram(backend).path],
      provider: { name: provider, base_url: `${api.url}${path}`, api_key: "$BENCH_KEY" },
    });
    const agents = {
      ada: agent("claude", "claude-sonnet-4-5", "anthropic"),
      bruno: agent("codex", "gpt-5", "openai", "/v1"),
      carla: agent("opencode", "openai-compatible/gpt-5", "openai-compatible", "/v1"),
    };
    const file = join(home, "team.yaml");
    writeFileSync(file, JSON.stringify({ name: "team", kickoff: "@ada begin", agents }));
    try {
      const { ms } = await mustRun(home, [launcher, "run", file], { BENCH_KEY: "none", HOME: home });
      const { pid } = JSON.parse(readFileSync(join(home, "daemon.json"), "utf8"));
      const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
      // Spares carry the mark as well, and so would a leftover program.
      const left = (await findMarked([""])).marked.filter(({ pid: each }) => isProgram(each)).length;
      return {
        what: "run with claude, codex and opencode in one team: duration; peak memory of the daemon; programs left running",
        goal: "completes; ≤ 80 MB; none",
        measured: `${format(ms / 1_000)} s; ${format(peak)} MB; ${left}`,
        met: peak <= 80 && left === 0,
      };
    } finally {
      await api.stop();
    }
  });
}

function isProgram(pid: number): boolean {
  try {
    return /claude|codex|opencode/.test(readFileSync(`/proc/${pid}/cmdline`, "latin1"));
  } catch {
    return false;
  }
}
