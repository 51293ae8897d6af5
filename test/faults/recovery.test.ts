/** Work that a crash interrupts is resumed: turns, setup between and inside steps, and what was only in memory. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkflowInput } from "../../src/protocol/definition/definition.ts";
import { startCommand } from "../fixtures/command.ts";
import { startDaemon } from "../fixtures/daemon.ts";
import { createGate, type Gate } from "../fixtures/gate.ts";
import { createPlace } from "../fixtures/place.ts";

const log = (word: string) => `echo ${word} >> log`;
const handOver = { tool: { name: "channel_send", args: { message: "@bob your turn" } } };

/** Two steps, the second of which waits at a gate, then two agents. */
function pipeline(gate: Gate, step: { idempotent?: boolean } = {}): WorkflowInput {
  return {
    name: "pipeline",
    setup: [
      { shell: `${log("one")}; echo first-output`, as: "one" },
      { shell: `${log("two")}; ${gate.wait.tool.args.command}; echo second-output`, as: "two", ...step },
    ],
    agents: { alice: { backend: "mock", script: [[{ say: "${{ inbox }}" }]] } },
    kickoff: "@alice ${{ one }} and ${{ two }}",
  };
}

test("a run with working agents continues to its end", async () => {
  await using place = await createPlace();
  const [first, second] = [createGate(place.project, "first"), createGate(place.project, "second")];
  const daemon = await startDaemon(place);
  await daemon.run({
    name: "team",
    setup: [{ shell: log("setup") }],
    agents: {
      alice: {
        backend: "mock",
        tools: ["bash"],
        script: [[handOver, first.wait, { say: "alice is done" }]],
      },
      bob: { backend: "mock", tools: ["bash"], script: [[second.wait, { say: "bob is done" }]] },
    },
    kickoff: "@alice begin",
  });
  await Promise.all([first.arrival(), second.arrival()]);
  await daemon.crash();

  const next = await startDaemon(place);
  await Promise.all([first.open(), second.open()]);
  const [end] = await next.until("workflow-end");
  expect(end?.data).toMatchObject({ status: "completed", exitCode: 0, dead: 0, parked: 0 });
  expect(end?.data.output).toMatch(/(alice|bob) is done/);
  expect(readFileSync(join(place.project, "log"), "utf8")).toBe("setup\n");
  // The second attempt sent bob the same text, and bob got it once.
  const told = (await next.messages("@team")).filter(({ content }) => content === "@bob your turn");
  expect(told).toHaveLength(1);
  const done = (await next.storedEvents()).filter(({ type }) => type === "delivery-done");
  expect(done).toHaveLength(2);
  await next.shutDown();
});

test("a command that shows a run starts the next daemon and stays to the end", async () => {
  await using place = await createPlace();
  const gate = createGate(place.project);
  const daemon = await startDaemon(place);
  const definition: WorkflowInput = {
    name: "followed",
    agents: { alice: { backend: "mock", tools: ["bash"], script: [[gate.wait, { say: "alice is done" }]] } },
    kickoff: "@alice begin",
  };
  await Bun.write(join(place.project, "followed.yaml"), JSON.stringify(definition));
  const command = startCommand(place, "run", "followed.yaml");
  await gate.arrival();
  await daemon.crash();
  await gate.open();
  const [exitCode, stdout, stderr] = await Promise.all([command.exited, command.stdout.text(), command.stderr.text()]);
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 0,
    stdout: "alice is done\n",
    stderr: expect.stringContaining("started the daemon"),
  });
});

test("a crash during a setup step interrupts the run, and resume continues with that step", async () => {
  await using place = await createPlace();
  const gate = createGate(place.project);
  const daemon = await startDaemon(place);
  await daemon.run(pipeline(gate));
  await daemon.until("task-start", ({ data }) => data.step === "setup[1]");
  await gate.arrival();
  await daemon.crash();

  const next = await startDaemon(place);
  const [cut] = await next.until("workflow-end");
  expect(cut?.data).toMatchObject({
    status: "interrupted",
    exitCode: 1,
    reason: "the daemon exited while setup[1] was running",
  });
  expect((await next.workflow("@pipeline")).state).toBe("interrupted");
  expect(readFileSync(join(place.project, "log"), "utf8")).toBe("one\ntwo\n");

  await next.resume("@pipeline");
  await gate.open();
  const [, end] = await next.until("workflow-end", () => true, { count: 2 });
  expect(end?.data).toMatchObject({
    status: "completed",
    results: { one: "first-output", two: "second-output" },
    output: "user: @alice first-output and second-output",
  });
  expect(readFileSync(join(place.project, "log"), "utf8")).toBe("one\ntwo\ntwo\n");
  await next.shutDown();
});

test("an interrupted idempotent setup step is run again automatically", async () => {
  await using place = await createPlace();
  const gate = createGate(place.project);
  const daemon = await startDaemon(place);
  await daemon.run(pipeline(gate, { idempotent: true }));
  await daemon.until("task-start", ({ data }) => data.step === "setup[1]");
  await gate.arrival();
  await daemon.crash();

  const next = await startDaemon(place);
  await gate.open();
  const [end] = await next.until("workflow-end");
  expect(end?.data).toMatchObject({ status: "completed", output: "user: @alice first-output and second-output" });
  expect(readFileSync(join(place.project, "log"), "utf8")).toBe("one\ntwo\ntwo\n");
  await next.shutDown();
});

test("outputs captured by setup are kept when an ended run is started again", async () => {
  await using place = await createPlace();
  const daemon = await startDaemon(place);
  await daemon.run({
    name: "again",
    setup: [{ shell: "echo first-output", as: "one" }],
    agents: { alice: { backend: "mock", system_prompt: "Look at ${{ one }}." } },
    kickoff: "@alice begin",
  });
  await daemon.until("workflow-end");
  const { cursor } = await daemon.startAgain("@again");
  await daemon.send({ target: "@again", content: "once more" });
  const [end] = await daemon.until("turn-end", () => true, { after: cursor, withinMs: 5_000 });
  expect(end?.data).toMatchObject({ status: "succeeded" });
  await daemon.shutDown();
});

test("a run in memory is lost, and a client that streams it is told", async () => {
  await using place = await createPlace();
  const daemon = await startDaemon(place);
  await daemon.run({
    name: "fleeting",
    context: { provider: "memory" },
    agents: { alice: { backend: "mock", script: [[{ wait: "1h" }]] } },
    kickoff: "@alice begin",
  });
  const [start] = await daemon.until("turn-start");
  await daemon.crash();

  const next = await startDaemon(place);
  const info = await next.workflow("@fleeting");
  expect(info).toMatchObject({ state: "ended", result: { status: "lost", exitCode: 1 } });
  // Resumed where the connection broke, as the command line does.
  const [end] = await next.until("workflow-end", () => true, { after: start?.seq ?? 0, withinMs: 5_000 });
  expect(end?.data).toMatchObject({ status: "lost", exitCode: 1 });
  await next.shutDown();
});
