/** A workflow with many parallel `send` tasks: how much longer it takes than its agents. */
import { run } from "../src/index.ts";
import type { WorkflowInput } from "../src/protocol/definition/definition.ts";
import { withHome } from "./home.ts";
import { type Row, format } from "./stats.ts";

const sends = 200;
const agentCount = 8;
/** Shorter than a real model, but long enough for two cores to start the next workers in the meantime. */
const ownMs = 500;

/** The agents' own time is only what their scripts wait, one message after the other. */
export async function measureParallelSends(): Promise<Row> {
  const names = Array.from({ length: agentCount }, (_, index) => `a${index}`);
  const script = [{ on: ".*", do: [{ wait: `${ownMs}ms` }, { say: "done" }] }];
  const tasks = Array.from({ length: sends }, (_, index) => ({
    send: `part ${index}`,
    to: names[index % agentCount] ?? "",
  }));
  const definition: WorkflowInput = {
    name: "parallel",
    agents: Object.fromEntries(names.map((name) => [name, { backend: "mock", script }])),
    tasks: [{ parallel: tasks }],
  };
  return withHome(async (home) => {
    await run({ name: "warm", kickoff: "@a", agents: { a: { backend: "mock" } } }, { home, project: home });
    const { status, duration } = await run(definition, { home, project: home });
    if (status !== "completed") throw new Error(`the run ${status}`);
    const own = (sends / agentCount) * ownMs;
    return {
      what: `${sends} \`parallel\` sends to ${agentCount} agents, ${ownMs} ms of work each: overhead beyond the agents' own time`,
      goal: "≤ 10 %",
      measured: `${format((duration / own - 1) * 100)} % (${format(duration / 1_000)} s instead of ${format(own / 1_000)} s)`,
      met: duration <= own * 1.1,
    };
  });
}
