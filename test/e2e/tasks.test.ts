/** Tasks: in order, in parallel or skipped; their results, their failures, and how a run continues after them. */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import type { AgentInput } from "../../src/protocol/definition/agent-definition.ts";
import type { WorkflowInput } from "../../src/protocol/definition/definition.ts";
import type { Event } from "../../src/protocol/event.ts";
import { InboxResponse } from "../../src/protocol/http/inbox.ts";
import { MessageList, StartResponse } from "../../src/protocol/http/workflows.ts";
import { RunResult } from "../../src/protocol/instance.ts";
import { createGate } from "../fixtures/gate.ts";
import { type OpenDaemon, openTestDaemon } from "../fixtures/open-daemon.ts";

/** Answers with its inbox. */
const echo: AgentInput = { backend: "mock", script: [{ on: "", do: [{ say: "${{ inbox }}" }] }] };
const says = (...texts: string[]): AgentInput => ({ backend: "mock", script: texts.map((say) => [{ say }]) });

/** Logs its start and its end, and takes long enough to overlap with others. */
const noted = (name: string) => ({ shell: `echo + >> log; sleep 0.05; echo - >> log; echo ${name}`, as: name });

function run(daemon: OpenDaemon, definition: WorkflowInput, more: object = {}): Promise<RunResult> {
  const body = { definition, project: daemon.project, env: { PATH: process.env.PATH }, ...more };
  return daemon.call("POST", "/serve", RunResult, { body });
}

async function stored(daemon: OpenDaemon): Promise<Event[]> {
  return await Array.fromAsync(daemon.events("/events?follow=0"));
}

/** The result of the run after it continues. */
async function nextEnd(daemon: OpenDaemon, { cursor }: { cursor: number }): Promise<RunResult> {
  for await (const event of daemon.events(`/events?after=${cursor}`)) {
    if (event.type === "workflow-end") return event.data;
  }
  throw new Error("the stream ended");
}

const resume = (daemon: OpenDaemon, target: string) =>
  daemon.call("POST", `/workflows/${target}/resume`, StartResponse, { body: {} });

describe("a run with tasks", () => {
  test("runs them in order, each with the results of earlier tasks", async () => {
    await using daemon = await openTestDaemon();
    const result = await run(daemon, {
      name: "pipeline",
      params: [{ name: "depth", type: "integer", default: 2 }],
      setup: [{ shell: "echo prepared", as: "ready" }],
      agents: { reviewer: says("a security problem\n"), writer: echo },
      tasks: [
        { shell: 'echo "diff of ${{ ready }}"', as: "diff" },
        { send: "Review ${{ diff }}", to: "Reviewer", as: "review" },
        {
          if: "${{ review.contains('security') && params.depth >= 2 }}",
          send: "Deep: ${{ review }}",
          to: "writer",
          as: "deep",
        },
        { if: "review == ''", shell: "exit 1", as: "never" },
        { shell: 'printf "%s/%s" "${{ deep }}" "${{ never }}"' },
      ],
    });
    expect(result).toMatchObject({
      status: "completed",
      exitCode: 0,
      output: "user: Deep: a security problem/",
      results: {
        ready: "prepared",
        diff: "diff of prepared",
        review: "a security problem",
        deep: "user: Deep: a security problem",
      },
      turns: 2,
    });
    expect(result.results).not.toHaveProperty("never");
    const ends = (await stored(daemon)).flatMap((event) => (event.type === "task-end" ? [event.data] : []));
    expect(ends.map(({ step, ok }) => `${step} ${ok}`)).toEqual(
      ["setup[0]", "tasks[0]", "tasks[1]", "tasks[2]", "tasks[3]", "tasks[4]"].map((step) => `${step} true`),
    );
    expect(ends[4]?.reason).toBe("skipped: its condition is not met");
  });

  test("sends the kickoff after the last task, and its output is then the reply to the kickoff", async () => {
    await using daemon = await openTestDaemon();
    const result = await run(daemon, {
      name: "both",
      agents: { first: says("from a task"), second: echo },
      tasks: [{ send: "begin", to: "first", as: "word" }],
      kickoff: "@second ${{ word }}",
    });
    expect(result).toMatchObject({
      status: "completed",
      output: "user: @second from a task",
      results: { word: "from a task" },
    });
    const { messages } = await daemon.call("GET", "/workflows/@both/messages", MessageList);
    expect(messages.map(({ content }) => content).slice(0, 3)).toEqual(["begin", "from a task", "@second from a task"]);
  });

  test("messages the agents without a context", async () => {
    await using daemon = await openTestDaemon();
    const definition: WorkflowInput = {
      name: "bare",
      context: false,
      agents: { a: says("done") },
      tasks: [{ send: "x", to: "a" }],
    };
    expect(await run(daemon, definition)).toMatchObject({ status: "completed", output: "done" });
  });

  test("captures an empty final text, and one that is too long for a message", async () => {
    await using daemon = await openTestDaemon();
    const long = "long ".repeat(80_000);
    const result = await run(daemon, {
      name: "sizes",
      agents: { quiet: { backend: "mock", script: [[]] }, loud: says(long) },
      tasks: [
        { send: "x", to: "quiet", as: "nothing" },
        { send: "x", to: "loud", as: "everything" },
        { shell: 'printf "%s" "<${{ nothing }}>${{ everything }}" | wc -c' },
      ],
    });
    expect(result.results).toEqual({ nothing: "", everything: long });
    expect(result.output.trim()).toBe(String(long.length + 2));
  });

  test("sends each task in its own turn, so that each gets its own answer", async () => {
    await using daemon = await openTestDaemon();
    const sends = Array.from({ length: 12 }, (_, index) => ({ send: `number ${index}.`, to: "a", as: `r${index}` }));
    const result = await run(daemon, { name: "many", agents: { a: echo }, tasks: [{ parallel: sends }] });
    expect(result.turns).toBe(12);
    expect(Object.values(result.results)).toEqual(sends.map(({ send }) => `user: ${send}`));
  });
});

describe("parallel", () => {
  test("all tasks end before the next task starts, and at most max run at once", async () => {
    await using daemon = await openTestDaemon();
    const result = await run(daemon, {
      name: "side",
      agents: { a: says() },
      tasks: [
        { parallel: { max: 2, tasks: [noted("a"), noted("b"), noted("c"), { parallel: [noted("d")] }] } },
        { shell: "cat log; echo ${{ a }}${{ b }}${{ c }}${{ d }}" },
      ],
    });
    const lines = result.output.split("\n");
    expect(lines.at(-1)).toBe("abcd");
    let open = 0;
    const depths = lines.slice(0, -1).map((sign) => (open += sign === "+" ? 1 : -1));
    expect(depths).toHaveLength(8);
    expect(Math.max(...depths)).toBeLessThanOrEqual(2);
    expect(depths.at(-1)).toBe(0);
  });

  test("when one fails, running tasks finish, no other starts, and the run names the failed one", async () => {
    await using daemon = await openTestDaemon();
    const gate = createGate(daemon.project);
    const ended = run(daemon, {
      name: "broken",
      agents: { a: says() },
      tasks: [
        {
          parallel: {
            max: 2,
            tasks: [
              { shell: `${gate.wait.tool.args.command}; echo late >> log` },
              { shell: "echo no >&2; exit 3" },
              { shell: "echo never >> log" },
            ],
          },
        },
        { shell: "echo after >> log" },
      ],
    });
    for await (const event of daemon.events("/events")) {
      if (event.type === "task-end" && !event.data.ok) break;
    }
    await gate.open();
    expect(await ended).toMatchObject({
      status: "failed",
      exitCode: 1,
      reason: "tasks[0].parallel[1] (echo no >&2; exit 3) failed: exit code 3: no",
    });
    expect(readFileSync(join(daemon.project, "log"), "utf8")).toBe("late\n");
  });

  test("is skipped as a whole when its condition is not met", async () => {
    await using daemon = await openTestDaemon();
    const definition: WorkflowInput = {
      name: "skipped",
      agents: { a: says() },
      tasks: [
        { if: "${{ workflow.name == 'other' }}", parallel: [{ shell: "exit 1", as: "x" }] },
        { shell: "echo end" },
      ],
    };
    expect(await run(daemon, definition)).toMatchObject({ status: "completed", output: "end", results: {} });
  });
});

describe("a task that fails", () => {
  test("ends the run with the dead letter's reason; redrive continues at that task", async () => {
    await using daemon = await openTestDaemon();
    const definition: WorkflowInput = {
      name: "dying",
      agents: {
        a: {
          backend: "mock",
          retry: { attempts: 1 },
          script: [[{ fail: { kind: "permanent", attempts: 1 } }, { say: "now" }]],
        },
      },
      tasks: [
        { shell: "echo one >> log" },
        { send: "please", to: "a", as: "answer" },
        { shell: "echo ${{ answer }} >> log; cat log" },
      ],
    };
    expect(await run(daemon, definition)).toMatchObject({
      status: "failed",
      exitCode: 1,
      dead: 1,
      reason: expect.stringMatching(/^tasks\[1\] \(a: please\) failed: a could not handle message #1 \(1 attempt\)/),
    });
    const cursor = await daemon.store.lastEvent();
    await daemon.call("POST", "/inbox/@dying/redrive", InboxResponse, { body: {} });
    expect(await nextEnd(daemon, { cursor })).toMatchObject({
      status: "completed",
      exitCode: 0,
      dead: 0,
      output: "one\nnow",
    });
    const { messages } = await daemon.call("GET", "/workflows/@dying/messages", MessageList);
    expect(messages.filter(({ content }) => content === "please")).toHaveLength(1);
  });

  test("ends the run as limited when its agent is stopped; resume continues at that task", async () => {
    await using daemon = await openTestDaemon();
    const gate = createGate(daemon.project);
    const agent: AgentInput = { backend: "mock", tools: ["bash"], script: [[gate.wait, { say: "done" }]] };
    const ended = run(daemon, { name: "held", agents: { a: agent }, tasks: [{ send: "please", to: "a" }] });
    await gate.arrival();
    await daemon.ask("PATCH", "/agents/a@held", { body: { stopped: true } });
    expect(await ended).toMatchObject({
      status: "limited",
      exitCode: 6,
      reason: expect.stringContaining("is parked: a was stopped"),
    });
    await daemon.ask("PATCH", "/agents/a@held", { body: { stopped: false } });
    const going = await resume(daemon, "@held");
    await gate.open();
    expect(await nextEnd(daemon, going)).toMatchObject({ status: "completed", output: "done" });
  });

  test("reports that its message was discarded", async () => {
    await using daemon = await openTestDaemon();
    const definition: WorkflowInput = {
      name: "gone",
      agents: {
        a: { backend: "mock", retry: { attempts: 3, backoff: "1h" }, script: [[{ fail: { kind: "transient" } }]] },
      },
      tasks: [{ send: "please", to: "a" }],
    };
    const ended = run(daemon, definition);
    for await (const event of daemon.events("/events")) {
      if (event.type !== "turn-retry") continue;
      await daemon.ask("POST", "/inbox/@gone/discard", { body: { messages: [event.message] } });
      break;
    }
    expect(await ended).toMatchObject({
      status: "failed",
      exitCode: 1,
      reason: expect.stringContaining("was discarded"),
    });
  });

  test("resume repeats a failed shell step, but no earlier step", async () => {
    await using daemon = await openTestDaemon();
    const definition: WorkflowInput = {
      name: "again",
      agents: { a: says() },
      tasks: [{ shell: "echo one | tee log" }, { shell: "test -e fixed && cat log", as: "log" }],
    };
    // The result of an earlier task is not the run's output.
    expect(await run(daemon, definition)).toMatchObject({ status: "failed", exitCode: 1, output: "" });
    await Bun.write(join(daemon.project, "fixed"), "");
    expect(await nextEnd(daemon, await resume(daemon, "@again"))).toMatchObject({ status: "completed", output: "one" });
  });

  test("an expression that cannot be evaluated fails its task, with the reason", async () => {
    await using daemon = await openTestDaemon();
    const definition: WorkflowInput = {
      name: "odd",
      agents: { a: says() },
      tasks: [
        { shell: "echo three", as: "count" },
        { if: "int(count) > 2", shell: "ls" },
      ],
    };
    expect(await run(daemon, definition)).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("tasks[1] (ls) failed: the expression 'int(count) > 2' failed"),
    });
  });

  test("start continues a run that was stopped between its tasks", async () => {
    await using daemon = await openTestDaemon();
    const gate = createGate(daemon.project);
    const ended = run(daemon, {
      name: "halted",
      agents: { a: { backend: "mock", tools: ["bash"], script: [[gate.wait, { say: "done" }]] } },
      tasks: [{ shell: "echo one >> log" }, { send: "please", to: "a" }, { shell: "cat log" }],
    });
    await gate.arrival();
    await daemon.ask("DELETE", "/workflows/@halted", { body: {} });
    expect(await ended).toMatchObject({ status: "stopped", exitCode: 130 });
    const going = await daemon.call("POST", "/workflows/@halted/start", StartResponse, { body: {} });
    await gate.open();
    for await (const event of daemon.events(`/events?after=${going.cursor}`)) {
      if (event.type === "task-end" && event.data.step === "tasks[2]") break;
    }
    const steps = (await daemon.store.steps(going.workflow.id)).map(({ step, state, output }) => [step, state, output]);
    expect(steps).toEqual([
      ["tasks[0]", "done", ""],
      ["tasks[1]", "done", "done"],
      ["tasks[2]", "done", "one"],
    ]);
  });
});

test("values are never treated as shell code or mentions, wherever they are used", async () => {
  await using daemon = await openTestDaemon();
  const hostile = fc
    .sample(
      fc.array(
        fc.constantFrom(
          "'",
          '"',
          "\n",
          "\\",
          "$(touch canary)",
          "`touch canary`",
          "${HOME}",
          ";touch canary;",
          "@other",
          "@all",
          "```",
          "${{ a }}",
          "}}",
          " ",
          "\t",
          "é🚀",
          "x",
        ),
        { minLength: 1, maxLength: 12 },
      ),
      { numRuns: 12, seed: 42 },
    )
    .map((parts) => parts.join(""));
  const params = hostile.map((_, index) => ({ name: `p${index}`, default: "" }));
  const result = await run(
    daemon,
    {
      name: "payload",
      params,
      agents: { one: { backend: "mock", script: [{ on: "", do: [{ say: "${{ inbox }}" }] }] }, other: says("woken") },
      tasks: hostile.flatMap((_, index) => [
        { shell: `printf '%s|' \${{ params.p${index} }} "\${{ params.p${index} + '' }}"`, as: `s${index}` },
        { send: `\${{ s${index} }} \${{ [params.p${index}] }}`, to: "one" },
      ]),
    },
    { params: Object.fromEntries(hostile.map((text, index) => [`p${index}`, text])) },
  );
  expect(result).toMatchObject({ status: "completed" });
  for (const [index, text] of hostile.entries()) expect(result.results[`s${index}`]).toBe(`${text}|${text}|`);
  const { messages } = await daemon.call("GET", "/workflows/@payload/messages?limit=500", MessageList);
  const sent = messages.filter(({ sender }) => sender === "user");
  expect(sent.map(({ recipients }) => recipients)).toEqual(hostile.map(() => ["one"]));
  expect(existsSync(join(daemon.project, "canary"))).toBe(false);
  expect(readdirSync(daemon.project)).toEqual([]);
}, 20_000);

test("wrongly typed, unknown and missing params are refused with a list", async () => {
  await using daemon = await openTestDaemon();
  const definition: WorkflowInput = {
    name: "typed",
    params: [
      { name: "target", required: true },
      { name: "depth", type: "integer", default: 1 },
    ],
    agents: { a: says() },
    tasks: [{ shell: "ls" }],
  };
  const body = { definition, project: daemon.project, params: { depth: "3", nope: 1 } };
  const { status, error } = await daemon.ask("POST", "/serve", { body });
  expect({ status, message: error?.message }).toEqual({
    status: 400,
    message: "there is no param 'nope'\n--target is missing\n--depth: expected a whole number, found \"3\"",
  });
});

test("tasks that are nested too deeply are refused", async () => {
  await using daemon = await openTestDaemon();
  const depth = 20_000;
  const task = `${'{"parallel":['.repeat(depth)}{"shell":"ls"}${"]}".repeat(depth)}`;
  const body = `{"project":"/x","definition":{"name":"deep","agents":{"a":{"backend":"mock"}},"tasks":[${task}]}}`;
  expect(await daemon.ask("POST", "/serve", { body })).toMatchObject({ status: 400, error: { code: "usage" } });
});
