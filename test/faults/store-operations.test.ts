/** F16: whichever store operation fails, and however, nothing is left open and no message is blamed. */
import { describe, expect, test } from "bun:test";
import { resume } from "../../src/daemon/kernel/operate/control.ts";
import type { Instance } from "../../src/daemon/store/data.ts";
import { isUnavailable } from "../../src/daemon/store/unavailable.ts";
import type { Store } from "../../src/daemon/store/store.ts";
import type { WorkflowInput } from "../../src/protocol/definition/definition.ts";
import type { RunMode } from "../../src/protocol/instance.ts";
import type { Message } from "../../src/protocol/message.ts";
import { NewProposal } from "../../src/protocol/proposal.ts";
import { hashToken } from "../../src/daemon/kernel/tokens.ts";
import type { Outcome } from "../../src/protocol/turn.ts";
import type { WorkerSpec } from "../../src/protocol/worker/worker-input.ts";
import { claimTurn, owe } from "../fixtures/claimed-turn.ts";
import { callFromTurn } from "./call-from-turn.ts";
import { type Code, codes, failInAllWays, failOnce, failureOf, intercept } from "./failing-store.ts";
import { KernelBench, node, type Work } from "./kernel-bench.ts";

const minuteMs = 60_000;
const leaseMs = 30_000;
const allCodes: Code[] = [...codes, "unknown"];
const mock = { backend: "mock" as const };
const context = { documents: "sqlite" as const };

/** Setup, tasks and turns that end in every way: done, retried, split, held until a limit ends; and a vote. */
const team: WorkflowInput = {
  name: "team",
  context,
  agents: { alice: mock, bob: mock, carol: mock },
  setup: [{ shell: "true", as: "ready" }],
  tasks: [{ shell: "true" }, { send: "begin", to: "alice" }],
  kickoff: "@bob and @carol go on",
};
const desk: WorkflowInput = { name: "desk", context, agents: { alice: { ...mock, schedule: "5m" } } };

/** What goes wrong in the first attempt of each agent's turns. */
const failures: Record<string, (now: number) => Outcome> = {
  alice: () => ({ status: "failed", failure: { kind: "transient", message: "try again" } }),
  bob: () => ({ status: "failed", failure: { kind: "transient", message: "one of these is poisonous" } }),
  carol: (now) => ({
    status: "failed",
    failure: { kind: "usage-limit", message: "enough", until: now + 10 * minuteMs },
  }),
};

function work(spec: WorkerSpec, now: number): Work {
  const failing = spec.kind === "turn" && spec.attempt === 1 ? failures[spec.agent] : undefined;
  return { afterMs: 50, outcome: failing?.(now) ?? { status: "succeeded", text: "done" } };
}

describe("a run", () => {
  const expected = playRun();

  test("ends normally if nothing fails", async () => {
    const { book, operations, problems } = await expected;
    expect(book).toMatchObject({ result: { status: "completed", exitCode: 0 }, open: 0 });
    const states = new Set(book.turns.map(({ state }) => state));
    expect(states).toEqual(new Set(["succeeded", "split"]));
    expect([...operations]).toEqual(expect.arrayContaining(["finish", "record", "endStep", "kickoff", "closeRun"]));
    expect([...operations]).toEqual(expect.arrayContaining(["closeProposal", "noteDecision"]));
    expect(problems).toEqual([]);
  });

  test("ends the same when any operation fails with BUSY, CANTOPEN, NOMEM, IOERR and FULL", async () => {
    const { book, operations } = await expected;
    for (const operation of operations) {
      const failing = await playRun((store) => failInAllWays(store, operation));
      expect({ operation, ...failing.book }).toEqual({ operation, ...book });
      expect(failing.problems.filter((problem) => problem.includes("failed in the daemon"))).toEqual([]);
    }
  });

  test("ends the same when any operation fails once with an unknown error", async () => {
    const { book, operations } = await expected;
    for (const operation of operations) {
      const failing = await playRun((store) => failOnce(store, operation, "unknown"));
      expect({ operation, ...failing.book }).toEqual({ operation, ...book });
    }
  });
});

describe("what a run has still to store", () => {
  const failed: Outcome = { status: "failed", failure: { kind: "permanent", message: "exit code 1" } };
  const prepared = {
    name: "team",
    context: { ...context, config: { documents: ["plan.md", "notes.md"] } },
    agents: { alice: mock },
    setup: [{ shell: "false" }],
    kickoff: "@alice go",
  };

  /** A run whose setup fails, on a store that refuses one operation until it is repaired. */
  async function startRefused(operation: string) {
    const store = { isBroken: true };
    const bench = new KernelBench({
      work: () => ({ afterMs: 50, outcome: failed }),
      wrap: (real) =>
        intercept(real, (name) => {
          if (store.isBroken && name === operation) throw failureOf("SQLITE_FULL");
        }),
    });
    const instance = await start(bench, prepared, "run");
    bench.timeline.pass(10_000);
    return { bench, instance, store };
  }

  test.each(["writeDocument", "beginStep"])("is not stored after a person has stopped it in %s", async (operation) => {
    const { bench, instance, store } = await startRefused(operation);
    const before = await bench.store.documents(instance.id);
    await bench.kernel.runs.stop(instance);
    store.isBroken = false;
    bench.timeline.pass(minuteMs);
    expect(await bookOf(bench.store, instance)).toMatchObject({ state: "stopped", steps: [] });
    expect(await bench.store.documents(instance.id)).toEqual(before);
  });

  test("comes before work that a person resumes in the meantime", async () => {
    const { bench, instance, store } = await startRefused("endRun");
    await resume(bench.kernel, instance, {});
    bench.timeline.pass(10_000);
    store.isBroken = false;
    bench.timeline.pass(minuteMs);
    expect(await bookOf(bench.store, instance)).toMatchObject({ state: "ended", result: { status: "failed" } });
    const events = await bench.store.events({ instance: instance.id, after: 0, limit: 100 });
    expect(events.filter(({ type }) => type === "task-start")).toHaveLength(1);
    const [ended] = await bench.store.instances();
    await resume(bench.kernel, ended ?? instance, {});
    bench.timeline.pass(minuteMs);
    expect(await bookOf(bench.store, instance)).toMatchObject({ state: "ended", steps: [{ state: "failed" }] });
  });
});

describe("a schedule", () => {
  const expected = playDesk();

  test("uses each of its slots once when any operation fails in all these ways", async () => {
    const { book, operations } = await expected;
    expect([...operations]).toEqual(expect.arrayContaining(["fire", "activeSchedules", "finish"]));
    expect(book).toMatchObject({ slots: 3, open: 0 });
    for (const operation of operations) {
      const failing = await playDesk((store) => failInAllWays(store, operation));
      expect({ operation, ...failing.book }).toEqual({ operation, ...book });
    }
  });
});

describe("a turn whose lease cannot be renewed", () => {
  test.each(allCodes)("is released uncounted, even if that fails at first with %s", async (code) => {
    const calls = new Map<string, number>();
    const bench = new KernelBench({
      work: (spec) => {
        const isFirst = spec.kind === "turn" && spec.attempt === 1;
        return { afterMs: 50, outcome: isFirst ? null : { status: "succeeded", text: "done" } };
      },
      wrap: (store) =>
        intercept(store, (name) => {
          const count = (calls.get(name) ?? 0) + 1;
          calls.set(name, count);
          if (name === "renew" || (name === "release" && count === 1)) throw failureOf(code);
        }),
    });
    const instance = await start(
      bench,
      { name: "team", context, agents: { alice: mock }, kickoff: "@alice go" },
      "run",
    );
    bench.timeline.pass(minuteMs);
    expect(calls.get("release")).toBe(2);
    expect(await bookOf(bench.store, instance)).toMatchObject({
      result: { status: "completed" },
      deliveries: [{ state: "done", attempts: 0 }],
      turns: [{ state: "succeeded", attempt: 2 }],
    });
  });
});

describe("a stop of the daemon", () => {
  test.each(allCodes)("counts no attempt when a turn's end cannot be decided because of %s", async (code) => {
    const bench = new KernelBench({
      work: () => ({ afterMs: 50, outcome: { status: "succeeded", text: "done" } }),
      wrap: (store) =>
        intercept(store, (name) => {
          if (name === "deliveries") throw failureOf(code);
        }),
    });
    const instance = await start(
      bench,
      { name: "team", context, agents: { alice: mock }, kickoff: "@alice go" },
      "run",
    );
    bench.timeline.pass(100);
    const closed = bench.close();
    bench.timeline.pass(minuteMs);
    await closed;
    expect(await bookOf(bench.store, instance)).toMatchObject({
      deliveries: [{ state: "pending", attempts: 0 }],
      open: 0,
    });
  });
});

describe("a call from inside a turn", () => {
  /** Calls a tool in a new team, and lets one of the operations that this needs fail at first. */
  async function play(tool: string, args: Record<string, unknown>, failing?: { operation: string; code: Code }) {
    const operations = new Set<string>();
    let failure = failing;
    let isCalling = false;
    const bench = new KernelBench({
      work: () => ({ afterMs: 50, outcome: null }),
      wrap: (store) =>
        intercept(store, (name) => {
          if (!isCalling) return;
          operations.add(name);
          if (name !== failure?.operation) return;
          const { code } = failure;
          failure = undefined;
          throw failureOf(code);
        }),
    });
    const agents = { alice: mock, bob: mock };
    const shared = { ...context, documentOwner: "alice" };
    const instance = await start(bench, { name: "team", context: shared, agents }, "start");
    bench.timeline.pass(1_000);
    const { token } = await claimTurn(bench.store, instance.id, "alice");
    isCalling = true;
    return { answer: await callFromTurn(bench, token, tool, args), operations };
  }

  test.each(allCodes)("is retried if the store fails at first with %s", async (code) => {
    const { answer } = await play("inbox_check", {}, { operation: "checkInbox", code });
    expect(answer).toMatchObject({ result: { structuredContent: { messages: [{ content: "please" }] } } });
  });

  const calls: [string, Record<string, unknown>][] = [
    ["channel_send", { message: "done" }],
    ["channel_read", {}],
    ["document_read", {}],
    ["document_write", { content: "a plan" }],
    ["document_append", { content: "a note" }],
    ["document_list", {}],
    ["document_create", { file: "new.md" }],
    ["proposal_create", { title: "Which?", options: ["red", "blue"] }],
    ["proposal_status", {}],
    ["workflow_agents", {}],
    ["status_set", { text: "at work" }],
    ["feedback_submit", { kind: "idea", target: "bash", text: "show the exit code" }],
  ];
  test.each(calls)("succeeds whichever operation of %s fails at first", async (tool, args) => {
    const { answer, operations } = await play(tool, args);
    expect(answer).toMatchObject({ result: { structuredContent: {} } });
    expect([...operations]).toContain("claimByToken");
    const refused: string[] = [];
    for (const operation of operations) {
      const failing = await play(tool, args, { operation, code: "SQLITE_FULL" });
      if (!failing.answer.result?.structuredContent) refused.push(operation);
    }
    expect(refused).toEqual([]);
  });
});

describe("an end that the store does not accept", () => {
  test("fails the attempt instead of leaving its turn open", async () => {
    let refused = 0;
    const bench = new KernelBench({
      work: () => ({ afterMs: 50, outcome: { status: "succeeded", text: "done" } }),
      wrap: (store) => ({
        ...store,
        finish: (claim, finish) => {
          if (finish.outcome.status === "succeeded" && refused++ < 5) throw new TypeError("this text cannot be stored");
          return store.finish(claim, finish);
        },
      }),
    });
    const instance = await start(
      bench,
      { name: "team", context, agents: { alice: mock }, kickoff: "@alice go" },
      "run",
    );
    bench.timeline.pass(minuteMs);
    expect(await bookOf(bench.store, instance)).toMatchObject({
      result: { status: "completed" },
      deliveries: [{ state: "done", attempts: 1 }],
    });
    expect(bench.problems.join("\n")).toContain("this text cannot be stored");
  });
});

describe("the sweep", () => {
  /** A turn of this node that nothing works on, as a bug might leave it. */
  async function loseTurn(bench: KernelBench, instance: Instance): Promise<void> {
    await owe(bench.store, instance.id, "alice");
    const request = { instance: instance.id, agent: "alice", node, leaseMs, tokenHash: hashToken("lost") };
    expect(await bench.store.claim(request)).toMatchObject({ agent: "alice" });
  }

  test("frees a turn that is marked as running, but that no lane runs", async () => {
    const bench = new KernelBench({ work: () => ({ afterMs: 50, outcome: { status: "succeeded", text: "done" } }) });
    const instance = await start(bench, { name: "team", context, agents: { alice: mock } }, "start");
    bench.timeline.pass(1_000);
    await loseTurn(bench, instance);
    bench.kernel.scheduler.startSweep();
    bench.timeline.pass(leaseMs - 1_000);
    expect(await bookOf(bench.store, instance)).toMatchObject({ turns: [{ state: "running", attempt: 1 }] });
    bench.timeline.pass(7_000);
    expect(await bookOf(bench.store, instance)).toMatchObject({
      deliveries: [{ state: "done", attempts: 0 }],
      turns: [{ state: "succeeded", attempt: 2 }],
      open: 0,
    });
  });

  test("leaves a turn alone whose lane waits for the store to record its end", async () => {
    let isFull = false;
    const bench = new KernelBench({
      work: () => ({ afterMs: 1_000, outcome: { status: "succeeded", text: "done" } }),
      wrap: (store) =>
        intercept(store, (name) => {
          if (isFull && name === "finish") throw failureOf("SQLITE_FULL");
        }),
    });
    const instance = await start(
      bench,
      { name: "team", context, agents: { alice: mock }, kickoff: "@alice go" },
      "run",
    );
    bench.kernel.scheduler.startSweep();
    isFull = true;
    bench.timeline.pass(10 * leaseMs);
    expect(await bookOf(bench.store, instance)).toMatchObject({ turns: [{ state: "running", attempt: 1 }] });
    isFull = false;
    bench.timeline.pass(2_000);
    expect(await bookOf(bench.store, instance)).toMatchObject({
      result: { status: "completed" },
      turns: [{ state: "succeeded", attempt: 1 }],
    });
    await bench.close();
  });
});

/** From start to end, with a vote that is never cast. */
async function playRun(wrap: (store: Store) => Store = (store) => store) {
  const operations = new Set<string>();
  const bench = new KernelBench({ work, wrap: (store) => intercept(wrap(store), (name) => operations.add(name)) });
  const instance = await start(bench, team, "run");
  // Everything that can be done is done by now; only carol's limit keeps the run open.
  bench.timeline.pass(5 * minuteMs);
  // The batch that bob fails on, and that is split.
  for (const content of ["one", "two"]) await owe(bench.store, instance.id, "bob", content);
  const question = NewProposal.parse({ title: "Which?", options: ["red", "blue"] });
  const user = { instance: instance.id, name: "user" as const };
  await repeat(() => bench.kernel.proposals.open(instance, user, question));
  bench.timeline.pass(60 * minuteMs);
  return { book: await bookOf(bench.store, instance), operations, problems: bench.problems };
}

async function playDesk(wrap: (store: Store) => Store = (store) => store) {
  const operations = new Set<string>();
  const bench = new KernelBench({ work, wrap: (store) => intercept(wrap(store), (name) => operations.add(name)) });
  const instance = await start(bench, desk, "start");
  bench.timeline.pass(19 * minuteMs);
  return { book: await bookOf(bench.store, instance), operations };
}

async function start(bench: KernelBench, definition: WorkflowInput, mode: RunMode): Promise<Instance> {
  const request = { definition, project: "/project", dir: "/project", tag: "main", env: {}, fresh: false };
  return (await repeat(() => bench.kernel.runs.start(request, mode))).instance;
}

/** A person's request is refused while the store is unavailable, and repeated. */
async function repeat<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      const isRefused =
        isUnavailable(error) || (error instanceof Error && error.message === failureOf("unknown").message);
      if (!isRefused || tries === 10) throw error;
    }
  }
}

/** Everything that must not depend on which operation failed. */
async function bookOf(store: Store, { id }: Instance) {
  const { state, result } = await store.workflowInfo(id);
  const deliveries = await store.deliveries(id, { limit: 500 });
  const turns = await store.turns(id, { limit: 500 });
  const events = await store.events({ instance: id, after: 0, limit: 10_000 });
  return {
    state,
    result: result && { status: result.status, exitCode: result.exitCode, reason: result.reason },
    deliveries: deliveries
      .map(({ agent, message, state: end, attempts }) => ({ agent, text: textOf(message), state: end, attempts }))
      .sort(byText),
    turns: turns.map(({ agent, state: end, attempt }) => ({ agent, state: end, attempt })).sort(byText),
    steps: (await store.steps(id)).map(({ step, state: end }) => ({ step, state: end })),
    said: (await store.messages(id, "client", { limit: 500 })).map(textOf).sort(),
    slots: events.filter(({ type }) => type === "schedule-fire").length,
    doneOnce: events.filter(({ type }) => type === "delivery-done").length,
    /** Agents with a running turn. */
    open: (await store.counts()).turns,
  };
}

/** Ids differ from one run to the next. */
function textOf({ sender, content }: Pick<Message, "sender" | "content">): string {
  return `${sender}: ${content.replace(/m[0-9a-z]{12}/g, "<id>")}`;
}

function byText(one: object, other: object): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}
