/** Teams on model APIs, end to end with a scripted vendor: keys, limits, threads and failures. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { AgentInput } from "../../src/protocol/definition/agent-definition.ts";
import type { WorkflowInput } from "../../src/protocol/definition/definition.ts";
import type { Delivery } from "../../src/protocol/delivery.ts";
import type { Event, EventOf } from "../../src/protocol/event.ts";
import type { AgentInfo } from "../../src/protocol/instance.ts";
import { type ModelApi, startModelApi } from "../fixtures/model-api/model-api.ts";
import { type OpenDaemon, openTestDaemon } from "../fixtures/open-daemon.ts";
import { openProgram } from "../fixtures/program.ts";

let api: ModelApi;
beforeEach(async () => void (api = await startModelApi()));
afterEach(() => api.stop());

const key = "key-0123456789abcdef";
const agent = (more: AgentInput = {}): AgentInput => ({
  model: "claude-sonnet-4-5",
  provider: { name: "anthropic", base_url: api.url, api_key: "$LAB_KEY" },
  ...more,
});

async function runToEnd(daemon: OpenDaemon, definition: WorkflowInput, env: Record<string, string> = { LAB_KEY: key }) {
  const body = { definition, project: daemon.project, env };
  return await Array.fromAsync(daemon.events("/run", { method: "POST", body }));
}

function ends(events: Event[]): EventOf<"turn-end">["data"][] {
  return events.flatMap((event) => (event.type === "turn-end" ? [event.data] : []));
}

test("a missing key parks the message, names the variable and ends the run with 4; resume with the key continues", async () => {
  await using daemon = await openTestDaemon();
  const definition = { name: "lab", agents: { alice: agent() }, kickoff: "@alice go" };
  const events = await runToEnd(daemon, definition, {});
  expect(events.at(-1)).toMatchObject({
    data: { exitCode: 4, reason: expect.stringContaining("set LAB_KEY in the environment") },
  });
  expect(api.requests).toEqual([]);
  const following = daemon.events(`/workflows/@lab/events?project=${encodeURIComponent(daemon.project)}`);
  const resume = { body: { project: daemon.project, env: { LAB_KEY: key } } };
  expect((await daemon.ask("POST", "/workflows/@lab/resume", resume)).status).toBe(200);
  for await (const event of following) if (event.type === "turn-end" && event.data.status === "succeeded") break;
  expect(api.requests[0]?.key).toBe(key);
});

test("on the command line: exit code 4 without the key, an answer with it, and a standalone agent that remembers", async () => {
  await using program = await openProgram();
  const file = program.write("lab.yaml", JSON.stringify({ agents: { alice: agent() }, kickoff: "@alice go" }));
  const keyless = await program.give(["run", file]);
  expect(keyless.exitCode).toBe(4);
  expect(keyless.stderr).toContain("set LAB_KEY in the environment");
  api.rules = [{ steps: [{ text: "Gone." }] }];
  const env = { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: api.url, LAB_KEY: key };
  expect(await program.give(["run", file, "--fresh"], { env })).toMatchObject({ exitCode: 0, stdout: "Gone.\n" });
  expect(await program.give(["new", "carol", "-m", "claude-sonnet-4-5"], { env })).toMatchObject({ exitCode: 0 });
  for (const text of ["remember 17", "which number?"]) {
    expect(await program.give(["send", "carol", text, "--wait"], { env })).toMatchObject({ exitCode: 0 });
  }
  expect(api.requests.at(-1)?.said.join("\n")).toMatch(/remember 17[^]*which number/);
});

test("one agent's rejected key does not delay the others", async () => {
  await using daemon = await openTestDaemon();
  api.rules = [{ system: /You are "alice"/, steps: [{ status: 401, message: `bad key ${key}` }] }];
  const agents = { alice: agent(), bob: agent() };
  const events = await runToEnd(daemon, { name: "lab", agents, kickoff: "@alice @bob go" });
  expect(
    ends(events)
      .map(({ status }) => status)
      .toSorted(),
  ).toEqual(["failed", "succeeded"]);
  expect(events.at(-1)).toMatchObject({ data: { exitCode: 1, dead: 1 } });
  expect(JSON.stringify(events)).not.toContain(key);
});

test("a usage limit of one agent holds all agents with the same key, without further requests, until resume", async () => {
  await using daemon = await openTestDaemon();
  api.rules = [{ times: 1, steps: [{ status: 429, message: "that was all", headers: { "retry-after": "3600" } }] }];
  const agents = { alice: agent(), bob: agent(), carol: agent({ provider: "anthropic" }) };
  const definition = { name: "lab", agents, limits: { concurrency: 1 }, kickoff: "@alice @bob go" };
  const body = { definition, project: daemon.project, env: { LAB_KEY: key } };
  const parked: string[] = [];
  for await (const event of daemon.events("/run", { method: "POST", body })) {
    if (event.type === "work-parked") {
      expect(event.data).toMatchObject({ kind: "usage-limit", until: expect.any(Number) });
      parked.push(event.agent);
      if (parked.length < 2) continue;
      // Only one request: the second agent was held without asking the API, and no attempt was counted.
      expect(api.requests).toHaveLength(1);
      await daemon.ask("POST", "/workflows/@lab/resume", { body: { project: daemon.project } });
    }
    if (event.type === "workflow-end") expect(event.data).toMatchObject({ status: "completed", exitCode: 0 });
    expect(["turn-retry", "delivery-dead"]).not.toContain(event.type);
  }
  expect(parked.toSorted()).toEqual(["alice", "bob"]);
});

test("a message held by a usage limit is shown with the time and the reason", async () => {
  await using program = await openProgram();
  api.rules = [
    { times: 1, steps: [{ status: 429, message: "that was all", headers: { "retry-after": "7200" } }] },
    { steps: [{ text: "Gone." }] },
  ];
  const file = program.write("lab.yaml", JSON.stringify({ agents: { alice: agent() }, kickoff: "@alice go" }));
  const running = program.start(["run", file], { env: { LAB_KEY: key } });
  await running.says("held until");
  const held = { until: expect.any(Number), reason: expect.stringContaining("that was all") };
  expect(await program.ask("ls")).toMatchObject({ workflows: [{ agents: [{ name: "alice", state: "idle", held }] }] });
  const status = await program.ask<AgentInfo & { deliveries: Delivery[] }>("status", "alice@lab");
  expect((status.held?.until ?? 0) - Date.now()).toBeGreaterThan(7_000_000);
  expect(status).toMatchObject({ held, deliveries: [{ state: "pending", parkReason: "usage-limit" }] });
  const moment = /held until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d/;
  expect((await program.give(["ls"])).stdout).toMatch(moment);
  expect((await program.give(["status", "@lab"])).stdout).toMatch(moment);
  const shown = await program.give(["status", "alice@lab"]);
  expect(shown.stdout).toMatch(/held +until .*, (1h 59m|2h 0m) from now, by a usage limit: .*that was all/);
  expect(shown.stderr).toContain("agent-worker resume alice@lab");
  const story = await program.give(["why", status.deliveries[0]?.message.id ?? ""]);
  expect(story.stdout).toMatch(/alice {2}■ held until .* by a usage limit: .*that was all/);
  expect(story.stderr).toContain("agent-worker resume @lab");
  await program.give(["resume", "@lab"], { env: { LAB_KEY: key } });
  expect(await running.ended).toMatchObject({ exitCode: 0, stdout: "Gone.\n" });
}, 30_000);

test("with history: thread, an agent remembers its earlier turns, except failed ones", async () => {
  await using daemon = await openTestDaemon();
  const remembering = agent({ history: "thread", retry: { attempts: 1 } });
  const definition = { name: "lab", agents: { alice: remembering } };
  const say = async (kickoff: string) => ends(await runToEnd(daemon, { ...definition, kickoff })).at(-1)?.status;
  api.rules = [{ steps: [{ text: "I will keep 17 in mind." }] }];
  expect(await say("@alice remember 17")).toBe("succeeded");
  api.rules = [{ steps: [{ status: 400 }] }];
  expect(await say("@alice something odd")).toBe("failed");
  api.rules = [{ steps: [{ text: "17" }] }];
  expect(await say("@alice which number?")).toBe("succeeded");
  const last = JSON.stringify(api.requests.at(-1)?.body["messages"]);
  expect(last).toMatch(/remember 17.*I will keep 17 in mind\..*which number\?/s);
  expect(last).not.toContain("something odd");
});

test("no key appears in the store, in events or in the log", async () => {
  await using daemon = await openTestDaemon();
  api.rules = [{ steps: [{ text: `my key is ${key}` }] }];
  const events = await runToEnd(daemon, { name: "lab", agents: { alice: agent() }, kickoff: "@alice go" });
  expect(JSON.stringify(events)).not.toContain(key);
  expect(JSON.stringify(events)).toContain("[redacted]");
  for await (const file of new Bun.Glob("**/*").scan({ cwd: daemon.home, dot: true, onlyFiles: true })) {
    const content = await Bun.file(`${daemon.home}/${file}`).text();
    expect(content.includes(key), file).toBe(false);
  }
});
