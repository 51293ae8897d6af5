/** F16: while another program has locked the database, the daemon keeps answering, and then everything ends as it should. */
import { expect, test } from "bun:test";
import { startDaemon } from "../fixtures/daemon.ts";
import { lockDatabase } from "../fixtures/database-lock.ts";
import { createGate } from "../fixtures/gate.ts";
import { openProgram } from "../fixtures/program.ts";
import { say } from "./figures.ts";
import { StoreFile } from "./store-file.ts";

/** Longer than the five seconds for which SQLite's own busy timeout used to stop the whole process. */
const heldMs = 6_000;
/** Much more than an answer takes on a busy machine, and much less than the lock is held. */
const slowestAnswerMs = 1_500;
const pauseMs = 50;

test("a turn that ends while another program has locked the database is stored once it is free", async () => {
  await using program = await openProgram();
  const daemon = await startDaemon(program);
  const gate = createGate(program.project);
  const script = [
    [gate.wait, { tool: { name: "channel_send", args: { message: "half way" } } }, { say: "@user done" }],
  ];
  const alice = JSON.stringify({ backend: "mock", tools: ["bash"], script });
  program.write("locked.yaml", `agents:\n  alice: ${alice}\n  bob: { backend: mock }\nkickoff: "@alice begin"\n`);
  const run = program.start(["run", "locked.yaml"]);
  await gate.arrival();

  await using lock = await lockDatabase(program.home);
  await gate.open();
  const sent = daemon.send({ target: "@locked", content: "meanwhile" });
  const answers: number[] = [];
  const until = performance.now() + heldMs;
  while (performance.now() < until) {
    const asked = performance.now();
    expect((await daemon.health()).turns).toBe(1);
    answers.push(performance.now() - asked);
    await Bun.sleep(pauseMs);
  }
  await lock.release();

  expect(await run.ended).toMatchObject({ exitCode: 0, stdout: "@user done\n" });
  await sent;
  expect(await daemon.shutDown()).toBe(0);
  const slowest = Math.max(...answers);
  expect(slowest).toBeLessThan(slowestAnswerMs);

  using store = new StoreFile(program.home);
  expect(store.integrity()).toEqual(["ok"]);
  expect(store.doneTwice()).toEqual([]);
  expect(store.deliveries().map(({ agent, state, attempts }) => [agent, state, attempts])).toEqual([
    ["alice", "done", 0],
  ]);
  expect(store.turns()).toEqual([{ agent: "alice", state: "succeeded", attempt: 1 }]);
  const said = store.messages().map(({ sender, content }) => `${sender}: ${content}`);
  expect(said.toSorted()).toEqual(["alice: @user done", "alice: half way", "user: @alice begin", "user: meanwhile"]);
  say(`F16: locked for ${heldMs} ms, ${answers.length} answers meanwhile, the slowest after ${Math.round(slowest)} ms`);
}, 30_000);
