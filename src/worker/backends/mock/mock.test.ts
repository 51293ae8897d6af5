import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type ContextServer, startContextServer, toolMessage } from "../../../../test/fixtures/context-server.ts";
import { temporaryFolder } from "../../../../test/fixtures/folder.ts";
import { turnSpec } from "../../../../test/fixtures/specs.ts";
import type { AgentInput } from "../../../protocol/definition/agent-definition.ts";
import type { TurnSpec } from "../../../protocol/worker/worker-input.ts";
import type { WorkerEvent } from "../../../protocol/worker/worker-event.ts";
import { runTurn } from "../../turn.ts";

let server: ContextServer;
beforeEach(() => void (server = startContextServer()));
afterEach(() => server.stop());

type Script = NonNullable<AgentInput["script"]>;

async function play(script: Script | undefined, more: Partial<TurnSpec> = {}, agent: Partial<AgentInput> = {}) {
  const events: WorkerEvent[] = [];
  const outcome = await runTurn(turnSpec(server, { script, ...agent }, more), {
    emit: (event) => void events.push(event),
    signal: new AbortController().signal,
    sabotage: (how) => Promise.reject(new Error(`sabotage: ${how}`)),
  });
  return { outcome, events, calls: server.calls.map(({ tool, args }) => ({ tool, args })) };
}

const checked = { tool: "inbox_check", args: {} };
const succeeded = { status: "succeeded", text: "" };
const usage = (step: object) => ({ usage: { input: 10, output: 1, ...step } });
const failedWith = (kind: string, message: unknown) => ({ status: "failed", failure: { kind, message } });

describe("which steps a turn plays", () => {
  const script: Script = [[{ say: "first" }], [{ say: "second" }]];

  test("the entry with its number", async () => {
    expect((await play(script)).outcome).toMatchObject({ text: "first" });
    expect((await play(script, { entry: 1 })).outcome).toMatchObject({ text: "second" });
  });

  test.each([
    ["past the last entry", script, 2],
    ["without a script", undefined, 0],
    ["when no reply matches", [{ on: "nothing like it", do: [] }], 0],
  ] satisfies [string, Script | undefined, number][])(
    "%s it acknowledges everything and stops",
    async (_, other, entry) => {
      server.inbox = [toolMessage("a"), toolMessage("b", { id: "m2" })];
      const { outcome, calls } = await play(other, { entry });
      expect(outcome).toMatchObject(succeeded);
      expect(calls).toEqual([checked, { tool: "inbox_ack", args: { ids: ["m1", "m2"] } }]);
    },
  );

  test("an empty inbox is not acknowledged", async () => {
    server.inbox = [];
    expect((await play(undefined)).calls).toEqual([checked]);
  });

  test("the first reply whose pattern matches the inbox", async () => {
    server.inbox = [toolMessage("please\nverify", { sender: "coder" })];
    const replies: Script = [
      { on: "^user:", do: [{ say: "no" }] },
      { on: "^verify$", do: [{ say: "yes" }] },
      { on: "verify", do: [{ say: "too late" }] },
    ];
    expect((await play(replies)).outcome).toMatchObject({ text: "yes" });
  });
});

describe("tools", () => {
  test("calls are reported with their arguments and results", async () => {
    const { events } = await play([[{ tool: { name: "channel_send", args: { message: "@bob hi" } } }]]);
    expect(events).toMatchObject([
      { type: "tool-call", call: "1", tool: "channel_send", args: '{"message":"@bob hi"}' },
      { type: "tool-result", call: "1", tool: "channel_send", ok: true, text: expect.stringContaining('"m9"') },
    ]);
  });

  test("long arguments and results are shortened in events only", async () => {
    const message = "x".repeat(5_000);
    const { events, calls } = await play([[{ tool: { name: "channel_send", args: { message } } }]]);
    expect(JSON.stringify(events).length).toBeLessThan(3_000);
    expect(calls[1]).toEqual({ tool: "channel_send", args: { message } });
  });

  test("placeholders are replaced once, in text and in all strings of the arguments", async () => {
    server.inbox = [toolMessage("see ${{ result }}")];
    const args = { message: "[${{inbox}}]", to: ["${{ result }}"], private: false };
    const { outcome, calls } = await play([[{ tool: { name: "channel_send", args } }, { say: "got ${{ result }}" }]]);
    expect(calls[1]?.args).toEqual({
      message: "[user: see ${{ result }}]",
      to: ["user: see ${{ result }}"],
      private: false,
    });
    expect(outcome).toMatchObject({ text: expect.stringMatching(/^got \{"id":"m9"/) });
  });

  test("an agent's local tools work in its folder", async () => {
    await using folder = await temporaryFolder();
    const script: Script = [
      [
        { tool: { name: "write_file", args: { path: "a.txt", content: "one" } } },
        { expect: "wrote 3 bytes" },
        { tool: { name: "bash", args: { command: "cat a.txt" } } },
        { say: "${{ result }}" },
      ],
    ];
    const { outcome } = await play(script, { cwd: folder.path }, { tools: ["write_file", "bash"] });
    expect(outcome).toMatchObject({ status: "succeeded", text: "one" });
  });

  test.each([
    ["a tool's error", "refuse", "no such luck"],
    ["an unknown tool", "fly", "fly"],
    ["a local tool that the agent does not have", "bash", "list it in its `tools`"],
  ])("%s fails the turn unless it is expected", async (_, name, message) => {
    const step = { tool: { name, args: {} } };
    expect((await play([[step, { say: "on" }]])).outcome).toMatchObject(
      failedWith("permanent", expect.stringContaining(message)),
    );
    expect((await play([[step, { expect: "something else" }]])).outcome.status).toBe("failed");
    expect((await play([[step, { expect: "." }, { say: "on" }]])).outcome).toMatchObject({ text: "on" });
  });
});

describe("other steps", () => {
  test("a failing expect shows the expression and the result, shortened", async () => {
    server.inbox = [toolMessage("y".repeat(5_000))];
    const { outcome } = await play([[{ expect: "^written$" }]]);
    expect(outcome).toMatchObject(failedWith("permanent", expect.stringContaining("expected /^written$/ but")));
    expect(JSON.stringify(outcome).length).toBeLessThan(800);
  });

  test("a bad regular expression is a permanent failure that names it", async () => {
    const { outcome } = await play([[{ expect: "(" }]]);
    expect(outcome).toMatchObject(failedWith("permanent", expect.stringContaining("regular expression")));
  });

  test("text is streamed, and the last text is the final one", async () => {
    const { outcome, events } = await play([[{ say: "Working." }, { say: "Done." }]]);
    expect(events).toEqual([
      { type: "text-delta", text: "Working." },
      { type: "text-delta", text: "Done." },
    ]);
    expect(outcome).toMatchObject({ text: "Done." });
  });

  test("usage adds up, and an unknown cost stays unknown", async () => {
    expect((await play([[usage({}), usage({})]])).outcome.usage).toEqual({ inputTokens: 20, outputTokens: 2 });
    expect((await play([[usage({ cost: 0.5 }), usage({})]])).outcome.usage?.cost).toBe(0.5);
  });

  test("fails for the given number of attempts, with the usage so far", async () => {
    const script: Script = [
      [{ usage: { input: 7 } }, { fail: { kind: "transient", attempts: 2 } }, { say: "at last" }],
    ];
    const second = await play(script, { attempt: 2 });
    expect(second.outcome).toMatchObject({ ...failedWith("transient", expect.any(String)), usage: { inputTokens: 7 } });
    expect((await play(script, { attempt: 3 })).outcome).toMatchObject({ text: "at last" });
  });

  test("fails every time without a number of attempts", async () => {
    const { outcome } = await play([[{ fail: { kind: "permanent" } }]], { attempt: 99 });
    expect(outcome).toMatchObject(failedWith("permanent", expect.any(String)));
  });
});
