/** Turns on third-party programs: how long they take beyond the program's own run time. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDaemon } from "../src/daemon/daemon.ts";
import type { AgentInput } from "../src/protocol/definition/agent-definition.ts";
import { startModelApi } from "../test/fixtures/model-api/model-api.ts";
import { testProgram } from "../test/fixtures/test-programs.ts";
import { withFolder } from "./home.ts";
import { median, type Row, times } from "./stats.ts";

const rounds = 12;
/** Long enough for spares to be refilled between rounds. */
const pauseMs = 500;

/** Records when the program starts and ends; the shell's own time counts as ours. */
const wrapper = `#!/bin/sh
date +%s%N > "$TIMES"
"$@"
code=$?
date +%s%N >> "$TIMES"
exit $code
`;

export async function measureProgramTurns(): Promise<Row> {
  const programs = { claude: testProgram("claude"), codex: testProgram("codex") };
  const missing = programs.claude.unavailable ?? programs.codex.unavailable;
  if (missing !== undefined) throw new Error(missing);
  const claude = await overheads(programs.claude.path, (url) => ({
    backend: "claude",
    model: "claude-sonnet-4-5",
    provider: { name: "anthropic", base_url: url, api_key: "$BENCH_KEY" },
  }));
  const codex = await overheads(programs.codex.path, (url) => ({
    backend: "codex",
    model: "gpt-5",
    provider: { name: "openai", base_url: `${url}/v1`, api_key: "$BENCH_KEY" },
  }));
  return {
    what: "overhead per turn beyond the program's own time, claude / codex",
    goal: "≤ 60 ms",
    measured: `${times(claude)} / ${times(codex)}`,
    met: median(claude) <= 60 && median(codex) <= 60,
  };
}

/** From the message that causes a turn to the turn's end, minus the program's run time. */
async function overheads(program: string, agentAt: (url: string) => AgentInput): Promise<number[]> {
  return withFolder(async (folder) => {
    const home = join(folder, "home");
    mkdirSync(home, { mode: 0o700 });
    const [timesFile, wrapped] = [join(folder, "times"), join(folder, "wrapper")];
    writeFileSync(wrapped, wrapper);
    chmodSync(wrapped, 0o755);
    const api = await startModelApi();
    const env = { ...process.env, HOME: folder };
    const daemon = await openDaemon({ home, env, port: 0, spares: 3, maxWorkers: 8, onShutdown: () => {} });
    await daemon.resumeWork();
    const agent: AgentInput = { ...agentAt(api.url), command: [wrapped, program], env: { TIMES: timesFile } };
    const post = async (route: string, body: object): Promise<void> => {
      const headers = { authorization: `Bearer ${daemon.token}`, "content-type": "application/json" };
      const url = `http://${daemon.host}:${daemon.port}${route}`;
      const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
      if (!response.ok) throw new Error(await response.text());
    };
    const { store } = daemon.kernel;
    const samples: number[] = [];
    try {
      const definition = { name: "one", agents: { alice: agent } };
      await post("/workflows", { definition, project: folder, env: { BENCH_KEY: "none", HOME: folder } });
      for (let round = 0; round < rounds; round++) {
        const ended = Promise.withResolvers<number>();
        const { finish } = store;
        store.finish = async (claim, end) => {
          const finished = await finish(claim, end);
          const { outcome } = end;
          if (outcome.status === "succeeded") ended.resolve(Date.now());
          else ended.reject(new Error(outcome.failure.message));
          return finished;
        };
        const sent = Date.now();
        await post("/messages", { target: "alice@one", project: folder, content: "go" });
        const whole = (await ended.promise) - sent;
        store.finish = finish;
        const [startedNs = 0, endedNs = 0] = readFileSync(timesFile, "utf8").trim().split("\n").map(Number);
        samples.push(whole - (endedNs - startedNs) / 1e6);
        await Bun.sleep(pauseMs);
      }
    } finally {
      await daemon.close();
      await api.stop();
    }
    return samples.slice(2);
  });
}
