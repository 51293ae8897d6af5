/** The daemon is killed inside and between tasks: each task runs once, and the remaining ones continue. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkflowInput } from "../../src/protocol/definition/definition.ts";
import type { Event } from "../../src/protocol/event.ts";
import { startDaemon, type TestDaemon } from "../fixtures/daemon.ts";
import { createGate, type Gate } from "../fixtures/gate.ts";
import { createPlace, type Place } from "../fixtures/place.ts";

const log = (word: string) => `echo ${word} >> log`;
const crashes = Number(process.env.FAULT_CYCLES ?? 12);

const logOf = ({ project }: Place) => readFileSync(join(project, "log"), "utf8").trim().split("\n");

/** A shell step, a message, and a shell step in parallel with another message. */
function pipeline(middle: string, agent: Gate | null, more: object = {}): WorkflowInput {
  const wait = agent ? [agent.wait] : [];
  return {
    name: "pipeline",
    agents: {
      a: { backend: "mock", tools: ["bash"], script: [[...wait, { say: "answer one" }], [{ say: "answer two" }]] },
    },
    tasks: [
      { shell: `${log("one")}; echo first`, as: "first" },
      { send: "asked: ${{ first }}", to: "a", as: "answer" },
      { shell: `${log("two")}; ${middle}; echo second`, as: "second", ...more },
      {
        parallel: [
          { shell: log("three"), as: "third" },
          { send: "asked again", to: "a", as: "last" },
        ],
      },
      { shell: "echo ${{ first }}, ${{ answer }}, ${{ second }}, ${{ last }}" },
    ],
  };
}

const complete = {
  status: "completed",
  exitCode: 0,
  dead: 0,
  parked: 0,
  output: "first, answer one, second, answer two",
  results: { first: "first", answer: "answer one", second: "second", third: "", last: "answer two" },
};

async function questions(daemon: TestDaemon): Promise<string[]> {
  const messages = await daemon.messages("@pipeline");
  return messages.filter(({ sender }) => sender === "user").map(({ content }) => content);
}

test("after a crash while an agent answers, the same question is answered once, and the tasks continue", async () => {
  await using place = await createPlace();
  const gate = createGate(place.project);
  const daemon = await startDaemon(place);
  await daemon.run(pipeline("true", gate));
  await gate.arrival();
  await daemon.kill();

  const next = await startDaemon(place);
  await gate.open();
  const [end] = await next.until("workflow-end");
  expect(end?.data).toMatchObject(complete);
  expect(await questions(next)).toEqual(["asked: first", "asked again"]);
  expect(logOf(place)).toEqual(["one", "two", "three"]);
  await next.shutDown();
});

test("a crash during a shell step interrupts the run, and resume continues with that step", async () => {
  await using place = await createPlace();
  const gate = createGate(place.project);
  const daemon = await startDaemon(place);
  await daemon.run(pipeline(gate.wait.tool.args.command, null));
  await gate.arrival();
  await daemon.kill();

  const next = await startDaemon(place);
  const [cut] = await next.until("workflow-end");
  expect(cut?.data).toMatchObject({
    status: "interrupted",
    exitCode: 1,
    reason: "the daemon exited while tasks[2] was running",
    results: { first: "first", answer: "answer one" },
  });
  await next.resume("@pipeline");
  await gate.open();
  const [, end] = await next.until("workflow-end", () => true, { count: 2 });
  expect(end?.data).toMatchObject(complete);
  expect(await questions(next)).toEqual(["asked: first", "asked again"]);
  expect(logOf(place)).toEqual(["one", "two", "two", "three"]);
  await next.shutDown();
});

test("an interrupted idempotent shell step is run again automatically", async () => {
  await using place = await createPlace();
  const gate = createGate(place.project);
  const daemon = await startDaemon(place);
  await daemon.run(pipeline(gate.wait.tool.args.command, null, { idempotent: true }));
  await gate.arrival();
  await daemon.kill();

  const next = await startDaemon(place);
  await gate.open();
  const [end] = await next.until("workflow-end");
  expect(end?.data).toMatchObject(complete);
  expect(logOf(place)).toEqual(["one", "two", "two", "three"]);
  await next.shutDown();
});

test("a clean shutdown counts as an interruption too, and the params are still known", async () => {
  await using place = await createPlace();
  const gate = createGate(place.project);
  const daemon = await startDaemon(place);
  const definition: WorkflowInput = {
    name: "given",
    params: [{ name: "depth", type: "integer", default: 4 }],
    agents: { a: { backend: "mock", tools: ["bash"], script: [[gate.wait, { say: "${{ inbox }}" }]] } },
    tasks: [
      { send: "depth ${{ params.depth + 1 }}", to: "a", as: "said" },
      { shell: "echo ${{ said }} of ${{ params.depth }}" },
    ],
  };
  await daemon.run(definition);
  await gate.arrival();
  await daemon.shutDown();
  const next = await startDaemon(place);
  await gate.open();
  const [end] = await next.until("workflow-end");
  expect(end?.data).toMatchObject({ status: "completed", output: "user: depth 5 of 4" });
  await next.shutDown();
});

test(
  `killed at random ${crashes} times among many tasks, it asks each question once and takes each step to its end once`,
  async () => {
    await using place = await createPlace();
    const count = 24;
    const names = Array.from({ length: count }, (_, index) => `n${index}`);
    let daemon = await startDaemon(place);
    await daemon.run({
      name: "long",
      agents: {
        a: {
          backend: "mock",
          script: [{ on: "", do: [{ say: "${{ inbox }}" }] }],
          retry: { attempts: 100, backoff: "20ms", multiplier: 1 },
        },
        b: {
          backend: "mock",
          script: [{ on: "", do: [{ say: "${{ inbox }}" }] }],
          retry: { attempts: 100, backoff: "20ms", multiplier: 1 },
        },
      },
      tasks: names.map((name, index) => ({
        parallel: [
          { send: `question ${name}.`, to: index % 2 === 0 ? "a" : "b", as: `said_${name}` },
          { shell: `echo ${name}`, as: name, idempotent: true },
        ],
      })),
    });
    for (let crash = 0; crash < crashes; crash++) {
      // The time of a fault is random; nothing waits for this.
      await Bun.sleep(Math.random() * 250);
      await daemon.kill();
      daemon = await startDaemon(place);
    }
    const [end] = await daemon.until("workflow-end", () => true, { withinMs: 30_000 });
    expect(end?.data).toMatchObject({
      status: "completed",
      dead: 0,
      parked: 0,
      results: Object.fromEntries(
        names.flatMap((name) => [
          [`said_${name}`, `user: question ${name}.`],
          [name, name],
        ]),
      ),
    });
    const asked = (await daemon.messages("@long"))
      .filter(({ sender }) => sender === "user")
      .map(({ content }) => content);
    expect(asked).toEqual(names.map((name) => `question ${name}.`));
    const ends = (await daemon.storedEvents()).filter(
      (event): event is Event & { type: "task-end" } => event.type === "task-end",
    );
    expect(ends.map(({ data }) => data.step).toSorted()).toEqual(
      names.flatMap((_, index) => [`tasks[${index}].parallel[0]`, `tasks[${index}].parallel[1]`]).toSorted(),
    );
    await daemon.shutDown();
  },
  60_000 + crashes * 2_000,
);
