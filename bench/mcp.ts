/** Writes through the MCP server of a daemon in its own process: the time that agents and clients wait. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { start } from "../src/index.ts";
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
const { signal } = new AbortController();

/** `channel_send`: writes a message and an event, and responds when both are on disk. */
export async function measureToolCalls(): Promise<Row[]> {
  return withTurns(clients, async (connections) => {
    const [first] = connections;
    if (!first) throw new Error("no turn started");
    await callOften(first, warmUp);
    const alone = await callOften(first, callsAlone);
    await Promise.all(connections.map((connection) => callOften(connection, warmUp)));
    const speeds: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const startedAt = performance.now();
      await Promise.all(connections.map((connection) => callOften(connection, callsEach)));
      speeds.push((clients * callsEach * 1_000) / (performance.now() - startedAt));
    }
    const perSecond = median(speeds);
    return [
      {
        what: "MCP tool call with a durable write, one client, p50 / p99",
        goal: "≤ 1 ms / ≤ 5 ms",
        measured: `${format(median(alone))} ms / ${format(quantile(alone, 0.99))} ms`,
        met: median(alone) <= 1 && quantile(alone, 0.99) <= 5,
      },
      {
        what: `the same with ${clients} concurrent clients`,
        goal: "≥ 2,500 calls/s",
        measured: `${Math.round(perSecond).toLocaleString("en-US")} calls/s`,
        met: perSecond >= 2_500,
      },
    ];
  });
}

/** A version in the store, and the updated file. */
export async function measureDocumentWrite(): Promise<Row> {
  const samples = await withTurns(1, async ([connection]) => {
    const times: number[] = [];
    for (let index = 0; index < documentWrites; index++) {
      const content = `${index} `.padEnd(documentChars, "some text and more\n");
      const startedAt = performance.now();
      await mustCall(connection, "document_write", { content, file: "large.md" });
      times.push(performance.now() - startedAt);
    }
    return times.slice(warmUpWrites);
  });
  return {
    what: "versioned write of a 100 KB document",
    goal: "≤ 5 ms",
    measured: `${format(median(samples))} ms (p95 ${format(quantile(samples, 0.95))})`,
    met: median(samples) <= 5,
  };
}

/** Starts turns that keep running, and gives this process their tokens, so that it can call tools in their place. */
async function withTurns<Result>(count: number, use: (connections: DaemonTools[]) => Promise<Result>): Promise<Result> {
  return withHome(async (home) => {
    const [project, tokens] = [join(home, "project"), join(home, "tokens")];
    for (const folder of [project, tokens]) mkdirSync(folder);
    const names = Array.from({ length: count }, (_, index) => `a${index}`);
    const script = names.map((name): [string, WorkflowInput["agents"][string]] => {
      const file = join(tokens, name);
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
    // Polls for files, because nothing else shows from outside that a waiting turn has its token.
    while (readdirSync(tokens).filter((name) => !name.endsWith(".new")).length < count) await Bun.sleep(20);
    const connections = names.map((name) => {
      const [url = "", token = ""] = readFileSync(join(tokens, name), "utf8").trim().split(" ");
      return openDaemonTools(url, token);
    });
    try {
      return await use(connections);
    } finally {
      await team.stop();
    }
  });
}

async function callOften(connection: DaemonTools, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const startedAt = performance.now();
    await mustCall(connection, "channel_send", { message: `progress ${index}: no problems so far` });
    times.push(performance.now() - startedAt);
  }
  return times;
}

async function mustCall(
  connection: DaemonTools | undefined,
  tool: string,
  args: Record<string, unknown>,
): Promise<void> {
  const answer = await connection?.callTool(tool, args, signal);
  if (answer?.ok !== true) throw new Error(`${tool}: ${answer?.text}`);
}
