/**
 * F1: the daemon and its workers are killed at random while messages flow, in a loop. No acknowledged message is lost,
 * none is done twice. FAULT_CYCLES=500 runs the full version.
 */
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import type { AgentInput } from "../../src/protocol/definition/agent-definition.ts";
import type { MockStep } from "../../src/protocol/definition/mock-script.ts";
import type { WorkflowInput } from "../../src/protocol/definition/definition.ts";
import { startDaemon, type TestDaemon } from "../fixtures/daemon.ts";
import { childrenOf, createPlace, kill } from "../fixtures/place.ts";
import { type Accepted, Clients } from "./clients.ts";
import { percentile, say } from "./figures.ts";
import { Ledger } from "./ledger.ts";
import { StoreFile } from "./store-file.ts";

type Step = z.input<typeof MockStep>;

const cycles = Number(process.env.FAULT_CYCLES ?? 20);
/** A cycle ends without progress after this time. */
const patienceMs = 1_500;
/** Clients of the chain pause while its first agent has this many open deliveries, so that the workers can keep up. */
const backlog = 6;
/** Time limit for everything that is open after the last crash. */
const settleMs = 60_000;
/** The longest pause of the other clients. */
const pauseMs = 60;
/** Enough attempts that no delivery becomes dead. */
const retry = { attempts: 100, backoff: "20ms", multiplier: 1 };
/** The agents that record what they receive, in the order in which work is handed off. */
const chain = ["first", "second", "third"];

/** Records what an agent has received. The quoted delimiter keeps the text from being read as shell code. */
const note: Step = {
  tool: {
    name: "bash",
    args: { command: "cat >> \"$NOTES\" <<'end of the inbox'\n${{ inbox }}\nend of the inbox" },
  },
};

/**
 * Work is handed off by a tool call and by the final text. The idler only acknowledges, so it can handle much more; what
 * agents sent is then done at once, and must stay done when a crash cuts off the rest of the turn.
 */
function team(notes: string): WorkflowInput {
  const mock = (steps: Step[], name: string): AgentInput => ({
    backend: "mock",
    tools: ["bash"],
    env: { NOTES: join(notes, name) },
    script: [{ on: "job-", do: [note, ...steps] }],
    retry,
  });
  const handOn = { name: "channel_send", args: { message: "${{ inbox }}", to: ["second", "idler"] } };
  return {
    name: "crash",
    agents: {
      first: mock([{ tool: handOn }], "first"),
      second: mock([{ say: "@third ${{ inbox }}" }], "second"),
      third: mock([], "third"),
      idler: {
        backend: "mock",
        script: [{ on: "job-", do: [{ tool: { name: "inbox_ack", args: { until: "1000000" } } }, { wait: "50ms" }] }],
        retry,
      },
    },
  };
}

test(
  `loses and doubles nothing in ${cycles} crashes`,
  async () => {
    await using place = await createPlace();
    const notes = join(place.path, "notes");
    mkdirSync(notes);
    const ledger = new Ledger();
    const clients = new Clients({
      notes: join(place.path, "accepted"),
      target: "@crash",
      to: ["first", "first", "idler", "idler"],
      pace: (to) => (to === "idler" ? moment(pauseMs) : ledger.below(backlog, to)),
    });
    const readyAgain: number[] = [];
    let workersKilled = 0;
    let daemon = await startDaemon(place);
    let following = ledger.follow(daemon);
    await daemon.start(team(notes));
    clients.find(daemon);

    for (let cycle = 0; cycle < cycles; cycle++) {
      // Some crashes come at once; most come after a few turns, so that the work makes progress.
      const turns = Math.floor(Math.random() * 3) + 1;
      if (cycle % 4 > 0) await Promise.race([ledger.turnsDone(turns), moment(patienceMs)]);
      await moment(100);
      if (cycle % 4 === 1 && killOneWorker(daemon)) workersKilled++;
      await moment(100);
      clients.lose();
      const killedAt = performance.now();
      await daemon.kill();
      await following;
      daemon = await startDaemon(place);
      await daemon.health();
      readyAgain.push(performance.now() - killedAt);
      following = ledger.follow(daemon);
      clients.find(daemon);
    }
    await clients.stop();
    await ledger.settled(daemon, "@crash", settleMs);
    expect(await daemon.shutDown()).toBe(0);
    await following;

    const accepted = clients.accepted();
    using store = new StoreFile(place.home);
    const messages = store.messages();
    const fromClients = messages.filter(({ sender }) => sender === "user");
    const lost = [...notStored(accepted, fromClients), ...notNoted(accepted, notes)];
    const doubled = store.doneTwice();
    say(
      `F1: ${cycles} cycles, ${workersKilled} workers killed too, ${accepted.length} messages acknowledged ` +
        `(${clients.repeated} sent again), ${lost.length} lost, ${doubled.length} doubled, ` +
        `ready again p50 ${percentile(readyAgain, 0.5)} ms, p99 ${percentile(readyAgain, 0.99)} ms`,
    );
    expect(lost).toEqual([]);
    expect(doubled).toEqual([]);
    expect(ledger.dead).toEqual([]);
    expect(store.integrity()).toEqual(["ok"]);
    // A message that was sent again with its key exists once.
    expect(new Set(fromClients.map(({ content }) => content)).size).toBe(fromClients.length);
    expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1));
    expect(store.deliveries().filter(({ state }) => state !== "done")).toEqual([]);
    // A client that resumes by event id misses nothing and gets nothing twice.
    expect(ledger.seqs).toEqual(store.eventSeqs());
    // Of a few starts, the 99th percentile is the worst one, and says more about the machine than about the daemon.
    expect(percentile(readyAgain, cycles < 100 ? 0.5 : 0.99)).toBeLessThan(2_000);
    expect(place.processes()).toEqual([]);
  },
  60_000 + cycles * 5_000,
);

function notStored(accepted: Accepted[], stored: { id: string; content: string }[]): Accepted[] {
  const content = new Map(stored.map((message) => [message.id, message.content]));
  return accepted.filter(({ id, job }) => content.get(id) !== job);
}

/** Everything sent to the head of the chain must have passed through all of it. */
function notNoted(accepted: Accepted[], notes: string): Accepted[] {
  const received = chain.map((agent) => readFileSync(join(notes, agent), "utf8"));
  return accepted.filter(({ job, to }) => to === chain[0] && received.some((text) => !text.includes(job)));
}

/** The time of a fault is random; nothing waits for this. */
function moment(maxMs: number): Promise<void> {
  return Bun.sleep(Math.random() * maxMs);
}

function killOneWorker(daemon: TestDaemon): boolean {
  const workers = childrenOf(daemon.pid);
  const victim = workers[Math.floor(Math.random() * workers.length)];
  return victim !== undefined && kill(victim);
}
