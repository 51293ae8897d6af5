/** A turn on a model API that responds at once: the rest is our own overhead. */
import { join } from "node:path";
import { openDaemon } from "../src/daemon/daemon.ts";
import { startModelApi } from "../test/fixtures/model-api/model-api.ts";
import { withFolder } from "./home.ts";
import { median, type Row, times } from "./stats.ts";

const rounds = 15;
const spares = 3;
/** Long enough for spares to be refilled between rounds. */
const pauseMs = 1_000;

export async function measureSdkTurn(): Promise<Row> {
  const samples = await withFolder(async (home) => {
    const api = await startModelApi();
    const daemon = await openDaemon({ home, env: process.env, port: 0, spares, maxWorkers: 64, onShutdown: () => {} });
    await daemon.resumeWork();
    const provider = { name: "anthropic", base_url: api.url, api_key: "$BENCH_KEY" };
    const definition = { name: "one", agents: { alice: { model: "claude-sonnet-4-5", provider } } };
    const url = `http://${daemon.host}:${daemon.port}`;
    const headers = { authorization: `Bearer ${daemon.token}`, "content-type": "application/json" };
    const post = (route: string, body: object) =>
      fetch(`${url}${route}`, { method: "POST", headers, body: JSON.stringify(body) });
    const project = join(home, "project");
    const waited: number[] = [];
    try {
      await post("/workflows", { definition, project, env: { BENCH_KEY: "none" } });
      await Bun.sleep(2 * pauseMs);
      for (let round = 0; round < rounds; round++) {
        const token = Promise.withResolvers<number>();
        const unlisten = daemon.kernel.deltas.listen(() => token.resolve(performance.now()));
        const sent = performance.now();
        await post("/messages", { target: "alice@one", project, content: "go" });
        waited.push((await token.promise) - sent);
        unlisten();
        await Bun.sleep(pauseMs);
      }
    } finally {
      await daemon.close();
      await api.stop();
    }
    return waited.slice(1);
  });
  return {
    what: "message sent → first token of an `sdk` agent whose model responds at once, with a spare",
    goal: "≤ 30 ms",
    measured: times(samples),
    met: median(samples) <= 30,
  };
}
