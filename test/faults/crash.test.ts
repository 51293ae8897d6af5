/**
 * F1: the daemon and its workers are killed at random while messages flow, in a loop. No acknowledged message is lost,
 * none is done twice. FAULT_CYCLES=500 runs the full version.
 */
import { expect, test } from "bun:test";
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkflowInput } from "../../src/protocol/definition.ts";
import { startDaemon, type TestDaemon } from "../fixtures/daemon.ts";
import { childrenOf, createPlace } from "../fixtures/place.ts";
import { percentile, say } from "./figures.ts";
import { Ledger } from "./ledger.ts";
import { StoreFile } from "./store-file.ts";

const cycles = Number(process.env.FAULT_CYCLES ?? 20);
/** Whom each client writes to: the head of the chain, or the one who only acknowledges and so can take much more. */
const clients = ["first", "first", "idler", "idler"];
/** Clients of the chain hold back while it owes so many deliveries, so that the workers can follow. */
const backlog = 10;
/** Between two messages of the others. */
const pauseMs = 60;
/** A cycle goes on without progress after so long. */
const patienceMs = 1_500;
const retry = { attempts: 100, backoff: "20ms", multiplier: 1 };

/** Notes what an agent has received, at the receiving end. The quoted delimiter keeps the text from being read as shell. */
const note = {
  tool: {
    name: "bash",
    args: { command: "cat >> \"$NOTES\" <<'end of the inbox'\n${{ inbox }}\nend of the inbox" },
  },
};

/** Work is handed on by a tool call, by the final text, and is acknowledged early by one that does nothing else. */
function team(notes: string): WorkflowInput {
  const noting = (name: string) => ({
    backend: "mock" as const,
    tools: ["bash" as const],
    env: { NOTES: join(notes, name) },
    retry,
  });
  return {
    name: "crash",
    agents: {
      first: {
        ...noting("first"),
        script: [
          {
            on: "job-",
            do: [note, { tool: { name: "channel_send", args: { message: "${{ inbox }}", to: ["second", "idler"] } } }],
          },
        ],
      },
      second: { ...noting("second"), script: [{ on: "job-", do: [note, { say: "@third ${{ inbox }}" }] }] },
      third: { ...noting("third"), script: [{ on: "job-", do: [note] }] },
      idler: { backend: "mock", retry },
    },
  };
}

test(
  `loses and doubles nothing in ${cycles} crashes`,
  async () => {
    await using place = await createPlace();
    const notes = join(place.path, "notes");
    const acknowledged = join(place.path, "acknowledged");
    mkdirSync(notes);
    appendFileSync(acknowledged, "");
    const ledger = new Ledger();
    const readyAgain: number[] = [];
    let daemon = await startDaemon(place);
    let following = ledger.follow(daemon);
    let stopping = false;
    let restarted = Promise.withResolvers<void>();
    let workersKilled = 0;
    let repeated = 0;
    await daemon.start(team(notes));

    /** Sends one message after the other, and goes on to the next only when it has noted that this one was accepted. */
    const client = async (to: string, index: number) => {
      for (let count = 1; !stopping; count++) {
        const job = `job-${index}-${count}-${to};`;
        let id = await trySend(daemon, job, to);
        while (id === null) {
          repeated++;
          await restarted.promise;
          id = await trySend(daemon, job, to);
        }
        appendFileSync(acknowledged, `${id} ${job}\n`);
        await (to === "idler" ? moment(pauseMs) : ledger.below(backlog, to));
      }
    };
    const sending = clients.map(client);

    for (let cycle = 0; cycle < cycles; cycle++) {
      // Some crashes strike at once; most let a few turns end, so that the work as a whole goes on.
      if (cycle % 4 > 0) await Promise.race([ledger.turnsDone(1 + Math.floor(Math.random() * 3)), moment(patienceMs)]);
      await moment(100);
      if (cycle % 4 === 1 && killOneWorker(daemon)) workersKilled++;
      await moment(100);
      restarted = Promise.withResolvers();
      const killedAt = performance.now();
      await daemon.kill();
      await following;
      daemon = await startDaemon(place);
      await daemon.health();
      readyAgain.push(performance.now() - killedAt);
      following = ledger.follow(daemon);
      stopping = cycle === cycles - 1;
      restarted.resolve();
    }
    await Promise.all(sending);
    await ledger.settled(daemon, "@crash");
    expect(await daemon.shutDown()).toBe(0);
    await following;

    const lines = readFileSync(acknowledged, "utf8").trim().split("\n");
    const accepted = lines.map((line) => line.split(" ") as [id: string, job: string]);
    using store = new StoreFile(place.home);
    const messages = store.messages();
    const fromClients = messages.filter(({ sender }) => sender === "user");
    const stored = new Map(fromClients.map(({ id, content }) => [id, content]));
    const lost = accepted.filter(([id, job]) => stored.get(id) !== job);
    const received = ["first", "second", "third"].map((agent) => readFileSync(join(notes, agent), "utf8"));
    const unseen = accepted.filter(([, job]) => job.endsWith("first;") && received.some((text) => !text.includes(job)));
    const doubled = store.doneTwice();

    say(
      `F1: ${cycles} cycles, ${workersKilled} workers killed, ${accepted.length} messages acknowledged (${repeated} sent again), ` +
        `${lost.length + unseen.length} lost, ${doubled.length} doubled, ${messages.length} in the channel, ` +
        `ready again p50 ${percentile(readyAgain, 0.5)} ms, p99 ${percentile(readyAgain, 0.99)} ms`,
    );
    expect(lost).toEqual([]);
    expect(unseen).toEqual([]);
    expect(doubled).toEqual([]);
    expect(ledger.dead).toEqual([]);
    expect(store.integrity()).toEqual(["ok"]);
    // A message that was sent again under its key is there once.
    expect(new Set(fromClients.map(({ content }) => content)).size).toBe(fromClients.length);
    expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1));
    expect(store.deliveries().filter(({ state }) => state !== "done")).toEqual([]);
    // Who resumes by event id misses nothing and is told nothing twice.
    expect(ledger.seqs).toEqual(store.eventSeqs());
    // Of a few starts, the 99th percentile is the worst one, and says more about the machine than about the daemon.
    expect(percentile(readyAgain, cycles < 100 ? 0.5 : 0.99)).toBeLessThan(2_000);
    expect(place.processes()).toEqual([]);
  },
  60_000 + cycles * 5_000,
);

/** The message's id, or null when the daemon died before it had answered: then nobody knows whether it was written. */
async function trySend(daemon: TestDaemon, job: string, to: string): Promise<string | null> {
  try {
    return (await daemon.send({ target: "@crash", content: job, to: [to] }, job)).message.id;
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}

/** When a fault strikes is left to chance; nothing waits for this. */
function moment(longestMs: number): Promise<void> {
  return Bun.sleep(Math.random() * longestMs);
}

function killOneWorker(daemon: TestDaemon): boolean {
  const workers = childrenOf(daemon.pid);
  const victim = workers[Math.floor(Math.random() * workers.length)];
  if (victim === undefined) return false;
  process.kill(victim, "SIGKILL");
  return true;
}
