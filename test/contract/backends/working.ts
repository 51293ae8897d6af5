/** Cases about turns that succeed. */
import { expect } from "bun:test";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toolMessage } from "../../fixtures/context-server.ts";
import type { Rule } from "../../fixtures/model-api/model-api.ts";
import type { Check } from "./stage.ts";

/** Only requests for the turn itself offer the daemon's tools; a program's side requests do not. */
const offers = "channel_send";
const send = (message: string) => ({ calls: [{ tool: "channel_send", args: { message } }] });
const sending: Rule = { offers, steps: [send("@bob over to you"), { text: "Handed off." }] };

export const systemPrompt: Check = async (stage) => {
  stage.server.inbox = [toolMessage("count the marmots")];
  stage.api.rules = [{ offers, steps: [{ text: "Done." }] }];
  const { outcome } = await stage.play({ system_prompt: "You are the keeper of marmots." });
  expect(outcome).toMatchObject({ status: "succeeded", text: "Done." });
  const told = stage.api.requests.map(({ system, said }) => [system, ...said].join("\n"));
  const all = told.find((text) => text.includes("You are the keeper of marmots.")) ?? "";
  expect(all).toContain('You are "alice"');
  expect(all).toContain("count the marmots");
};

export const streaming: Check = async (stage) => {
  stage.api.rules = [{ offers, steps: [{ text: ["One, ", "two, ", "three."] }] }];
  const { outcome, events } = await stage.play();
  const deltas = events.flatMap((event) => (event.type === "text-delta" ? [event.text] : []));
  expect(deltas.join("")).toBe("One, two, three.");
  expect(deltas.length).toBeGreaterThan(1);
  expect(outcome).toMatchObject({ text: "One, two, three." });
};

export const toolEvents: Check = async (stage) => {
  stage.api.rules = [sending];
  const { events } = await stage.play();
  const calls = events.filter(({ type }) => type === "tool-call" || type === "tool-result");
  expect(calls).toMatchObject([
    { type: "tool-call", tool: "channel_send", args: expect.stringContaining("@bob over to you") },
    { type: "tool-result", tool: "channel_send", ok: true, text: expect.stringContaining("m9") },
  ]);
  const [call, result] = calls;
  expect(call && "call" in call && result && "call" in result && call.call === result.call).toBe(true);
};

export const contextTools: Check = async (stage) => {
  stage.api.rules = [sending];
  const { outcome } = await stage.play();
  expect(outcome).toMatchObject({ status: "succeeded", text: "Handed off." });
  expect(stage.server.calls.map(({ tool, args }) => ({ tool, args }))).toContainEqual({
    tool: "channel_send",
    args: expect.objectContaining({ message: "@bob over to you" }),
  });
  // The model receives the tool's result.
  expect(stage.api.requests.at(-1)?.results.join("")).toContain("m9");
};

export const ownTools: Check = async (stage) => {
  const module = join(stage.folder, "marmots.ts");
  writeFileSync(
    module,
    `const inputSchema = { type: "object", properties: {} };
     export const count_marmots = { description: "Counts", inputSchema, execute: async () => "forty-two marmots" };`,
  );
  const steps = [{ calls: [{ tool: "count_marmots" }] }, { text: "Counted." }];
  stage.api.rules = [{ offers: "count_marmots", steps }];
  const { outcome, events } = await stage.play({ tools: [module] });
  expect(outcome).toMatchObject({ status: "succeeded", text: "Counted." });
  expect(stage.api.requests.at(-1)?.results.join("")).toContain("forty-two marmots");
  expect(events.map((event) => ("tool" in event ? event.tool : ""))).toContain("count_marmots");
};

export const skills: Check = async (stage) => {
  const folder = join(stage.folder, "lore/care");
  mkdirSync(folder, { recursive: true });
  const head = "---\nname: marmot-care\ndescription: Feeds marmots at dawn.\nallowed-tools: Bash\n---\n";
  writeFileSync(join(folder, "SKILL.md"), `${head}\nWith clover.\n`);
  const before = readdirSync(stage.folder);
  stage.api.rules = [{ offers, steps: [{ text: "Done." }] }];
  const { outcome } = await stage.play({ skills: [join(stage.folder, "lore")] });
  expect(outcome).toMatchObject({ status: "succeeded", text: "Done." });
  const told = stage.api.requests.map(({ body }) => JSON.stringify(body)).join("\n");
  expect(told).toContain("marmot-care");
  expect(told).toContain("Feeds marmots at dawn.");
  // Our own section about skills is left out of the prompt.
  expect(told).not.toContain("load with the tool skill");
  expect(readdirSync(stage.folder)).toEqual(before);
  expect(readdirSync(stage.home, { recursive: true }).filter((path) => path.includes("marmot-care"))).toEqual([]);
};

export const handOff: Check = async (stage) => {
  stage.api.rules = [
    {
      told: /You are "alice"/,
      offers,
      said: /@alice/,
      steps: [send("@bob it is your turn"), { text: "Passed on." }],
    },
    { told: /You are "bob"/, offers, steps: [{ text: "@user all is done" }] },
  ];
  const events = await stage.run({ alice: {}, bob: {} }, "@alice begin");
  expect(events.at(-1)).toMatchObject({ data: { status: "completed", exitCode: 0, turns: 2 } });
  const messages = events.flatMap((event) => (event.type === "message" ? [event.data] : []));
  expect(messages).toContainEqual(
    expect.objectContaining({ sender: "alice", recipients: ["bob"], content: "@bob it is your turn" }),
  );
  expect(messages).toContainEqual(expect.objectContaining({ sender: "bob", content: "@user all is done" }));
};

export const thread: Check = async (stage) => {
  stage.api.rules = [{ offers, steps: [{ text: "I saw seven marmots.", usage: tokens }] }];
  stage.server.inbox = [toolMessage("count the marmots")];
  const first = (await stage.play({ history: "thread" })).outcome;
  if (first.status === "failed") throw new Error(first.failure.message);
  expect(first.conversation).toBeDefined();
  stage.server.inbox = [toolMessage("how many were they?")];
  const asked = stage.api.requests.length;
  const second = (await stage.play({ history: "thread" }, { conversation: first.conversation })).outcome;
  expect(second).toMatchObject({ status: "succeeded", usage: { inputTokens: 1_200, outputTokens: 50 } });
  if (first.usage?.cost !== undefined) expect(second.usage?.cost).toBeCloseTo(first.usage.cost, 6);
  const told = stage.api.requests.slice(asked).map(({ body }) => JSON.stringify(body));
  expect(told.some((text) => text.includes("seven marmots") && text.includes("how many were they?"))).toBe(true);
};

export const lostThread: Check = async (stage) => {
  stage.api.rules = [{ offers, steps: [{ text: "I saw seven marmots.", usage: tokens }] }];
  const first = (await stage.play({ history: "thread" })).outcome;
  if (first.status === "failed") throw new Error(first.failure.message);
  for (const path of stage.setup.sessions ?? []) {
    expect(existsSync(join(stage.home, path))).toBe(true);
    rmSync(join(stage.home, path), { recursive: true });
  }
  const second = await stage.play({ history: "thread" }, { conversation: first.conversation });
  expect(second.outcome).toMatchObject({
    status: "succeeded",
    text: "I saw seven marmots.",
    usage: { inputTokens: 1_200, outputTokens: 50 },
  });
  expect(second.events).toContainEqual({ type: "thread-lost", reason: expect.stringMatching(/session|rollout/i) });
  const conversation = second.outcome.status === "succeeded" ? second.outcome.conversation : undefined;
  expect(conversation).toBeDefined();
  expect(conversation).not.toBe(first.conversation);
};

const tokens = { input: 1_000, output: 50, cacheRead: 200 };

export const usage: Check = async (stage) => {
  const [first, second] = [send("@bob hello"), { text: "Done." }];
  stage.api.rules = [
    {
      offers,
      steps: [
        { ...first, usage: tokens },
        { ...second, usage: tokens },
      ],
    },
  ];
  for (const _ of ["first turn", "second turn"]) {
    const { outcome } = await stage.play();
    expect(outcome.usage).toMatchObject({ inputTokens: 2_400, outputTokens: 100 });
  }
};

export const cost: Check = async (stage) => {
  stage.api.rules = [{ offers, steps: [{ text: "Done.", usage: tokens }] }];
  const { outcome } = await stage.play();
  expect(outcome.usage?.cost).toBeGreaterThan(0);
};
