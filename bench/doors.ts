/** At the MCP door of a daemon in a process of its own: what agents and clients wait for when they write. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { run, start } from "../src/index.ts";
import type { WorkflowInput } from "../src/protocol/definition/definition.ts";
import { type DaemonTools, openDaemonTools } from "../src/worker/daemon-tools.ts";
import { withHome } from "./home.ts";
import { type Row, format, median, quantile } from "./stats.ts";

const warmUp = 200;
const callsAlone = 3_000;
const callsEach = 400;
const rounds = 7;
const clients = 8;
const documentWrites = 400;
const warmUpWrites = 100;
const documentChars = 100 * 1024;
const sends = 200;
/** A model takes longer; this is enough for two cores to start the next workers meanwhile. */
const ownMs = 500;
const { signal } = new AbortController();

/** `channel_send`: message, event and the promise that both are on disk. */
export async function measureToolCalls(): Promise<Row[]> {
  return withTurns(clients, async (contexts) => {
    const [first] = contexts;
    if (!first) throw new Error("no turn began");
    await callOften(first, warmUp);
    const alone = await callOften(first, callsAlone);
    await Promise.all(contexts.map((context) => callOften(context, warmUp)));
    const speeds: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const begun = performance.now();
      await Promise.all(contexts.map((context) => callOften(context, callsEach)));
      speeds.push((clients * callsEach * 1_000) / (performance.now() - begun));
    }
    const perSecond = median(speeds);
    return [
      {
        what: "MCP tool call with a durable write, p50 / p99, one client",
        goal: "≤ 1 ms / ≤ 5 ms",
        measured: `${format(median(alone))} ms / ${format(quantile(alone, 0.99))} ms`,
        met: median(alone) <= 1 && quantile(alone, 0.99) <= 5,
      },
      {
        what: `the same from ${clients} clients together`,
        goal: "≥ 2,500 calls/s",
        measured: `${Math.round(perSecond).toLocaleString("en-US")} calls/s`,
        met: perSecond >= 2_500,
      },
    ];
  });
}

/** A version in the store, and the file that follows it. */
export async function measureDocumentWrite(): Promise<Row> {
  const samples = await withTurns(1, async ([context]) => {
    const times: number[] = [];
    for (let index = 0; index < documentWrites; index++) {
      const content = `${index} `.padEnd(documentChars, "words and more words\n");
      const begun = performance.now();
      await mustCall(context, "document_write", { content, file: "large.md" });
      times.push(performance.now() - begun);
    }
    return times.slice(warmUpWrites);
  });
  return {
    what: "document write of 100 KB, versioned",
    goal: "≤ 5 ms",
    measured: `${format(median(samples))} ms (p95 ${format(quantile(samples, 0.95))})`,
    met: median(samples) <= 5,
  };
}

/** The agents' own time is what their scripts wait, one message after the other: nothing of ours is in it. */
export async function measureParallelSends(): Promise<Row> {
  const names = Array.from({ length: clients }, (_, index) => `a${index}`);
  const rule = [{ on: ".*", do: [{ wait: `${ownMs}ms` }, { say: "done" }] }];
  const tasks = Array.from({ length: sends }, (_, index) => ({
    send: `part ${index}`,
    to: names[index % clients] ?? "",
  }));
  const definition: WorkflowInput = {
    name: "parallel",
    agents: Object.fromEntries(names.map((name) => [name, { backend: "mock", script: rule }])),
    tasks: [{ parallel: tasks }],
  };
  return withHome(async (home) => {
    await run({ name: "warm", kickoff: "@a", agents: { a: { backend: "mock" } } }, { home, project: home });
    const { status, duration } = await run(definition, { home, project: home });
    if (status !== "completed") throw new Error(`the run ${status}`);
    const own = (sends / clients) * ownMs;
    return {
      what: `${sends} \`parallel\` sends over ${clients} agents, each ${ownMs} ms of work: longer than the agents' own time by`,
      goal: "≤ 10 %",
      measured: `${format((duration / own - 1) * 100)} % (${format(duration / 1_000)} s of ${format(own / 1_000)} s)`,
      met: duration <= own * 1.1,
    };
  });
}

/** Turns that stay, and their secrets in the hands of this process, which speaks in place of their workers. */
async function withTurns<Result>(count: number, use: (contexts: DaemonTools[]) => Promise<Result>): Promise<Result> {
  return withHome(async (home) => {
    const [project, secrets] = [join(home, "project"), join(home, "secrets")];
    for (const folder of [project, secrets]) mkdirSync(folder);
    const names = Array.from({ length: count }, (_, index) => `a${index}`);
    const script = names.map((name): [string, WorkflowInput["agents"][string]] => {
      const file = join(secrets, name);
      const command = `echo "$AGENT_WORKER_URL $AGENT_WORKER_TOKEN" > ${file}.new && mv ${file}.new ${file} && sleep 500`;
      return [
        name,
        { backend: "mock", tools: ["bash"], script: [[{ tool: { name: "bash", args: { command, timeout: 600 } } }]] },
      ];
    });
    const team = await start(
      { name: "team", kickoff: names.map((name) => `@${name}`).join(" "), agents: Object.fromEntries(script) },
      { home, project },
    );
    // Only here is a file waited for: nothing else of a held turn can be seen from outside.
    while (readdirSync(secrets).filter((name) => !name.endsWith(".new")).length < count) await Bun.sleep(20);
    const contexts = names.map((name) => {
      const [url = "", token = ""] = readFileSync(join(secrets, name), "utf8").trim().split(" ");
      return openDaemonTools(url, token);
    });
    try {
      return await use(contexts);
    } finally {
      await team.stop();
    }
  });
}

async function callOften(context: DaemonTools, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const begun = performance.now();
    await mustCall(context, "channel_send", { message: `progress ${index}: so far all is well` });
    times.push(performance.now() - begun);
  }
  return times;
}

async function mustCall(context: DaemonTools | undefined, tool: string, args: Record<string, unknown>): Promise<void> {
  const answer = await context?.callTool(tool, args, signal);
  if (answer?.ok !== true) throw new Error(`${tool}: ${answer?.text}`);
}
