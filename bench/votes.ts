/** Votes: from the last vote to the result on the event stream. */
import { openDaemon } from "../src/daemon/daemon.ts";
import { NewProposal } from "../src/protocol/proposal.ts";
import { withFolder } from "./home.ts";
import { type Row, median, times } from "./stats.ts";

const rounds = 100;

/** Sends the last vote over HTTP and waits until a client of the event stream has read the result. */
export async function measureLastVote(): Promise<Row> {
  const samples = await withFolder(async (home) => {
    const daemon = await openDaemon({
      home,
      env: process.env,
      port: 0,
      spares: 0,
      maxWorkers: 8,
      onShutdown: () => {},
    });
    try {
      const { store, proposals } = daemon.kernel;
      const definition = { name: "votes", agents: { alice: { backend: "mock" as const } } };
      const { instance } = await store.openRun({
        definition,
        tag: "main",
        project: home,
        dir: home,
        mode: "start",
        fresh: false,
      });
      const url = `http://${daemon.host}:${daemon.port}`;
      const headers = { authorization: `Bearer ${daemon.token}`, "content-type": "application/json" };
      const stream = await fetch(`${url}/workflows/@votes/events`, { headers });
      const results = readCloses(stream);
      const measured: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const asked = NewProposal.parse({ title: `Question ${round}`, options: ["a", "b"], voters: ["user"] });
        const { proposal } = await proposals.open(instance, { instance: instance.id, name: "user" }, asked);
        const known = results.next();
        const startedAt = performance.now();
        await fetch(`${url}/proposals/${proposal.id}/votes`, { method: "POST", headers, body: '{"choice":"a"}' });
        await known;
        measured.push(performance.now() - startedAt);
      }
      return measured.slice(5);
    } finally {
      await daemon.close();
    }
  });
  return {
    what: "proposal: last vote → result on the event stream",
    goal: "≤ 10 ms",
    measured: times(samples),
    met: median(samples) <= 10,
  };
}

/** Yields once for each `proposal-close` in an event stream. */
async function* readCloses(response: Response): AsyncGenerator<void> {
  const decoder = new TextDecoder();
  let seen = "";
  if (!response.body) throw new Error("the daemon streams no events");
  for await (const chunk of response.body) {
    seen += decoder.decode(chunk, { stream: true });
    const parts = seen.split("event: proposal-close\n");
    seen = parts.at(-1)?.slice(-100) ?? "";
    for (let found = 1; found < parts.length; found++) yield;
  }
}
