/** F10 and the delivery guarantees, each once from end to end: real processes, real MCP, real time. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentInput } from "../../src/protocol/definition/agent-definition.ts";
import type { MockStep } from "../../src/protocol/definition/mock-script.ts";
import { startDaemon } from "../fixtures/daemon.ts";
import { createGate } from "../fixtures/gate.ts";
import { createPlace } from "../fixtures/place.ts";
import { say } from "./figures.ts";

const mock = (script: AgentInput["script"], more: Partial<AgentInput> = {}): AgentInput => ({
  backend: "mock",
  tools: ["bash"],
  script,
  ...more,
});
const note: MockStep = { tool: { name: "bash", args: { command: "cat >> notes <<'end'\n${{ inbox }}\nend" } } };

test("a poison message is dead after its attempts, visibly, while others work; redrive retries it", async () => {
  await using place = await createPlace();
  const daemon = await startDaemon(place);
  await daemon.start({
    name: "poison",
    agents: {
      victim: mock([{ on: "poison", do: [{ fail: { kind: "transient", attempts: 3 } }, { say: "swallowed" }] }], {
        retry: { attempts: 3, backoff: "20ms", multiplier: 1 },
      }),
      neighbour: mock([]),
    },
  });
  const poison = await daemon.send({ target: "victim@poison", content: "this is poison" });
  const [dead] = await daemon.until("delivery-dead");
  expect(dead).toMatchObject({ agent: "victim", message: poison.message.id, data: { attempts: 3 } });
  const [notice] = await daemon.until("message", ({ data }) => data.kind === "system");
  expect(notice?.data.content).toContain(`victim could not handle message #${poison.message.seq} (3 attempts)`);

  // Both the other agent and the failed one continue.
  for (const agent of ["neighbour", "victim"]) {
    const { message } = await daemon.send({ target: `${agent}@poison`, content: "are you there?" });
    await daemon.until("delivery-done", (event) => event.message === message.id);
  }
  expect(await daemon.inbox("@poison", "dead")).toHaveLength(1);

  const { changed } = await daemon.redrive("@poison");
  expect(changed.map(({ message }) => message.id)).toEqual([poison.message.id]);
  await daemon.until("delivery-done", ({ message }) => message === poison.message.id);
  const story = await daemon.why(poison.message.id);
  expect(story.deliveries).toMatchObject([{ state: "done" }]);
  expect(story.turns).toMatchObject([{ attempt: 4, state: "succeeded", text: "swallowed" }]);
  await daemon.shutDown();
  say("F10: 1 poison message dead after 3 attempts, 2 others done meanwhile, done after redrive");
});

test("a failed turn is retried with growing pauses, and an exact repeat of a message is sent once", async () => {
  await using place = await createPlace();
  const daemon = await startDaemon(place);
  await daemon.run({
    name: "retry",
    agents: {
      sender: mock(
        [
          [
            { tool: { name: "channel_send", args: { message: "@reader look at this" } } },
            { fail: { kind: "transient", attempts: 2 } },
            { say: "sent" },
          ],
        ],
        { retry: { attempts: 3, backoff: "100ms", multiplier: 3 } },
      ),
      reader: mock([]),
    },
    kickoff: "@sender begin",
  });
  const [end] = await daemon.until("workflow-end");
  expect(end?.data).toMatchObject({ status: "completed", exitCode: 0, output: "sent", dead: 0 });
  const messages = await daemon.messages("@retry");
  expect(messages.filter(({ sender }) => sender === "sender").map(({ content }) => content)).toEqual([
    "@reader look at this",
    "sent",
  ]);
  const retries = await daemon.until("turn-retry", () => true, { count: 2 });
  const starts = await daemon.until("turn-start", ({ agent }) => agent === "sender", { count: 3 });
  expect(starts.map(({ data }) => data.attempt)).toEqual([1, 2, 3]);
  expect(new Set(starts.map(({ turn }) => turn)).size).toBe(1);
  for (const [index, backoff] of [100, 300].entries()) {
    const retry = retries[index];
    const start = starts[index + 1];
    // The retry's time is computed a moment before its event gets its timestamp.
    expect((retry?.data.at ?? 0) - (retry?.at ?? 0)).toBeWithin(backoff - 2, backoff * 1.25 + 2);
    expect(start?.at).toBeGreaterThanOrEqual(retry?.data.at ?? Infinity);
  }
  await daemon.shutDown();
});

test("a message that arrives during a turn is claimed by it when it checks its inbox", async () => {
  await using place = await createPlace();
  const gate = createGate(place.project);
  const daemon = await startDaemon(place);
  const look = { tool: { name: "inbox_check" } };
  await daemon.start({
    name: "handover",
    agents: { worker: mock([[gate.wait, look, { expect: "the second" }, { say: "both" }]]) },
  });
  const first = await daemon.send({ target: "@handover", content: "the first" });
  await daemon.until("tool-call");
  const second = await daemon.send({ target: "@handover", content: "the second" });
  await gate.open();
  const done = await daemon.until("delivery-done", () => true, { count: 2 });
  expect(done.map(({ message }) => message).sort()).toEqual([first.message.id, second.message.id].sort());
  expect(new Set(done.map(({ turn }) => turn)).size).toBe(1);
  await daemon.shutDown();
});

test("a failed batch is split into one turn per message, and only the poison message is dead", async () => {
  await using place = await createPlace();
  const gate = createGate(place.project);
  const daemon = await startDaemon(place);
  await daemon.start({
    name: "split",
    agents: {
      worker: mock([
        { on: "first", do: [gate.wait] },
        { on: "poison", do: [{ fail: { kind: "permanent" } }] },
        { on: "good", do: [note] },
      ]),
    },
  });
  const send = async (content: string) => (await daemon.send({ target: "@split", content })).message.id;
  const first = await send("the first");
  await daemon.until("tool-call");
  const [good, poison, better] = [await send("good 1"), await send("poison"), await send("good 2")];
  await gate.open();
  const done = await daemon.until("delivery-done", () => true, { count: 3 });
  expect(done.map(({ message }) => message).sort()).toEqual([first, good, better].sort());
  expect((await daemon.until("delivery-dead")).map(({ message }) => message)).toEqual([poison]);
  const [together] = await daemon.until("turn-start", ({ data }) => data.messages.length > 1);
  expect(together?.data.messages).toEqual([good, poison, better]);
  expect(readFileSync(join(place.project, "notes"), "utf8")).toBe("user: good 1\nuser: good 2\n");
  await daemon.shutDown();
});
