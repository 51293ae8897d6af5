/** `run`: complete, repeated and parallel runs, interrupted by signals or by a crash of the daemon. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "../../../src/protocol/event.ts";
import type { DeliveryList } from "../../../src/protocol/http/inbox.ts";
import type { MessageList } from "../../../src/protocol/http/workflows.ts";
import type { RunResult } from "../../../src/protocol/instance.ts";
import { createGate, type Gate } from "../../fixtures/gate.ts";
import { openProgram, type Program } from "../../fixtures/program.ts";
import { isRunning } from "../../fixtures/running.ts";
import { until } from "../../fixtures/until.ts";

const hello = `agents:
  alice:
    backend: mock
    script:
      - - say: "@bob are you there?"
      - - say: "@user Bob is here."
  bob:
    backend: mock
    script:
      - - say: "@alice I am here."
kickoff: "@alice please greet Bob."
`;

/** One agent that waits at a gate, then answers. A gate supports one waiter, so each folder has its own. */
function writeHeld(program: Program, folder = program.project): Gate {
  mkdirSync(folder, { recursive: true });
  const gate = createGate(folder);
  const script = `[[${JSON.stringify(gate.wait)}, { say: "@user awake" }]]`;
  const agent = `{ backend: mock, tools: [bash], script: ${script} }`;
  writeFileSync(join(folder, "held.yaml"), `agents:\n  sleeper: ${agent}\nkickoff: "@sleeper sleep"\n`);
  return gate;
}

function daemonPid({ home }: Program): number {
  return JSON.parse(readFileSync(join(home, "daemon.json"), "utf8")).pid;
}

function eventsIn(lines: string): Event[] {
  return lines
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("prints its log to stderr and only its output to stdout, and a second run continues the channel", async () => {
  await using program = await openProgram();
  program.write("hello.yaml", hello);
  const first = await program.give(["run", "hello.yaml"]);
  expect(first).toMatchObject({ exitCode: 0, stdout: "@user Bob is here.\n" });
  for (const part of [
    "started the daemon\n",
    "bob     @alice I am here.",
    "✓ completed in",
    "→ agent-worker peek @hello",
  ]) {
    expect(first.stderr).toContain(part);
  }
  const before = await program.ask<MessageList>("peek", "@hello");
  // Its mocks start their scripts over, in the same channel.
  expect(await program.ask<RunResult>("run", "hello.yaml")).toMatchObject({
    status: "completed",
    turns: 3,
    exitCode: 0,
  });
  const { messages } = await program.ask<MessageList>("peek", "@hello");
  expect(messages.slice(0, before.messages.length)).toEqual(before.messages);
  expect(messages).toHaveLength(2 * before.messages.length);
  expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1));

  await program.give(["run", "hello.yaml", "--fresh"]);
  const fresh = await program.ask<MessageList>("peek", "@hello");
  expect(fresh.messages.map(({ seq, content }) => [seq, content])).toEqual(
    before.messages.map(({ seq, content }) => [seq, content]),
  );
});

test("prints every event as a line of JSON with --events, and nothing else with --quiet", async () => {
  await using program = await openProgram();
  program.write("hello.yaml", hello);
  const { exitCode, stdout, stderr } = await program.give([
    "run",
    "hello.yaml",
    "--events",
    "--quiet",
    "--tag",
    "second",
  ]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const events = eventsIn(stdout);
  expect(events[0]).toMatchObject({
    type: "workflow-start",
    workflow: "hello",
    tag: "second",
    project: program.project,
  });
  expect(events.filter(({ type }) => type === "workflow-end")).toEqual([events.at(-1)!]);
  expect(events.at(-1)).toMatchObject({ data: { exitCode: 0, turns: 3, output: "@user Bob is here." } });
  expect(events.filter(({ type }) => type === "turn-end")).toHaveLength(3);
});

test("is refused while it already runs, except with another tag", async () => {
  await using program = await openProgram();
  const gate = writeHeld(program);
  const running = program.start(["run", "held.yaml"]);
  await gate.arrival();
  const again = await program.give(["run", "held.yaml"]);
  expect({ ...again, stderr: "" }).toEqual({ exitCode: 2, stdout: "", stderr: "" });
  for (const part of ["already running", "agent-worker attach @held", "--tag"]) expect(again.stderr).toContain(part);
  const asJson = await program.give(["run", "held.yaml", "--json"]);
  expect(JSON.parse(asJson.stdout)).toEqual({
    error: {
      code: "already-running",
      message: "@held is already running",
      hint: "agent-worker attach @held shows it live; --tag <tag> starts another instance",
      actions: [{ do: "attach", target: "@held" }, { do: "choose-tag" }],
    },
  });
  const started = await program.give(["start", "@held"]);
  expect({ ...started, stderr: "" }).toEqual({ exitCode: 2, stdout: "", stderr: "" });
  for (const part of ["already running", "agent-worker attach @held"]) expect(started.stderr).toContain(part);
  const attached = program.start(["attach", "@held"]);
  await attached.says("starts on 1 message");
  const gateBeside = writeHeld(program, join(program.project, "beside"));
  const beside = program.start(["run", "beside/held.yaml", "--tag", "beside", "--json"]);
  await gateBeside.open();
  await gate.open();
  expect(await running.ended).toMatchObject({ exitCode: 0, stdout: "@user awake\n" });
  expect(await beside.ended).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"output": "@user awake"') });
  expect(await attached.ended).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("✓ completed") });
});

describe("interrupted", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "by %s, it exits with %i, parks and shows its messages, and continues with resume",
    async (signal, code) => {
      await using program = await openProgram();
      const gate = writeHeld(program);
      const running = program.start(["run", "held.yaml"]);
      await gate.arrival();
      running.kill(signal);
      const { exitCode, stdout, stderr } = await running.ended;
      expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: "" });
      for (const part of ["■ stopped in", "1 parked", "agent-worker resume @held"]) expect(stderr).toContain(part);
      const { deliveries } = await program.ask<DeliveryList>("inbox", "@held");
      expect(deliveries).toMatchObject([{ agent: "sleeper", state: "parked", attempts: 0 }]);
      expect((await program.give(["ls"])).stdout).toContain("1 parked");
      if (signal === "SIGTERM") return;

      expect(await program.give(["resume", "@held"])).toMatchObject({ exitCode: 0, stdout: "resumed @held\n" });
      const attached = program.start(["attach", "@held"]);
      await attached.says("starts on");
      await gate.open();
      expect((await attached.ended).exitCode).toBe(0);
      expect((await program.give(["inbox", "@held"])).stderr).toBe("the inbox is empty\n");
    },
  );

  test("and run again, handles only the new kickoff; parked messages stay parked and are shown", async () => {
    await using program = await openProgram();
    const gate = writeHeld(program);
    const running = program.start(["run", "held.yaml"]);
    await gate.arrival();
    running.kill("SIGINT");
    await running.ended;
    const again = program.start(["run", "held.yaml"]);
    await gate.open();
    const { exitCode, stderr } = await again.ended;
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringContaining("1 message from earlier runs is still parked"),
    });
    const { deliveries } = await program.ask<DeliveryList>("inbox", "@held");
    expect(deliveries).toMatchObject([{ state: "parked", message: { seq: 1 } }]);
  });

  test("by a crash of its daemon, it continues with a new one and shows every event once", async () => {
    await using program = await openProgram();
    const gate = writeHeld(program);
    const running = program.start(["run", "held.yaml", "--events"]);
    await gate.arrival();
    const old = program.processes().filter((pid) => pid !== running.pid);
    process.kill(daemonPid(program), "SIGKILL");
    // An old worker must not take the gate's signal, which is meant for the new one.
    await until(() => !old.some(isRunning));
    await gate.open();
    const { exitCode, stdout } = await running.ended;
    expect(exitCode).toBe(0);
    const stored = eventsIn(stdout).filter(({ seq }) => seq > 0);
    const places = stored.map(({ seq }) => seq);
    expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
    expect(stored.at(-1)).toMatchObject({ type: "workflow-end", data: { status: "completed" } });
  });

  test("by `daemon stop`, it reports it, and the next daemon continues the run", async () => {
    await using program = await openProgram();
    const gate = writeHeld(program);
    const running = program.start(["run", "held.yaml"]);
    await gate.arrival();
    expect((await program.give(["daemon", "stop"])).exitCode).toBe(0);
    expect(await running.ended).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining("the daemon was stopped"),
    });
    expect(await program.give(["daemon", "status"])).toMatchObject({
      exitCode: 5,
      stdout: "the daemon is not running\n",
    });
    await program.give(["daemon", "start"]);
    const attached = program.start(["attach", "@held"]);
    await attached.says("starts on 1 message");
    await gate.open();
    expect(await attached.ended).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("✓ completed") });
  });
});
