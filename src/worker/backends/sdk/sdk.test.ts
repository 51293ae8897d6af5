import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type ContextServer, startContextServer, toolMessage } from "../../../../test/fixtures/context-server.ts";
import { type ModelApi, startModelApi } from "../../../../test/fixtures/model-api/model-api.ts";
import { turnSpec } from "../../../../test/fixtures/specs.ts";
import type { AgentInput } from "../../../protocol/definition/agent-definition.ts";
import type { WorkerEvent } from "../../../protocol/worker/worker-event.ts";
import { runTurn } from "../../turn.ts";

let server: ContextServer;
let api: ModelApi;
beforeEach(async () => {
  server = startContextServer();
  api = await startModelApi();
});
afterEach(() => Promise.all([server.stop(), api.stop()]));

const env = { LAB_KEY: "key-0123456789" };

async function play(agent: Partial<AgentInput> = {}, conversation?: string) {
  const events: WorkerEvent[] = [];
  const provider = { name: "anthropic", base_url: api.url, api_key: "$LAB_KEY" };
  const spec = turnSpec(
    server,
    { backend: "sdk", model: "claude-sonnet-4-5", provider, ...agent },
    { env, conversation },
  );
  const outcome = await runTurn(spec, {
    emit: (event) => void events.push(event),
    signal: new AbortController().signal,
    sabotage: (how) => Promise.reject(new Error(how)),
  });
  return { outcome, events };
}

const send = (message: string) => ({ calls: [{ tool: "channel_send", args: { message } }] });

describe("a request to the model", () => {
  test("contains max_tokens, and the key in its header", async () => {
    await play({ max_tokens: 321 });
    expect(api.requests[0]).toMatchObject({ key: "key-0123456789", body: { max_tokens: 321 } });
  });

  test("offers the daemon's tools and the agent's own, with their schemas", async () => {
    await play({ tools: ["read_file"] });
    expect(api.requests[0]?.tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["read_file", "channel_send", "inbox_ack"]),
    );
    expect(api.requests[0]?.body["tools"]).toContainEqual(
      expect.objectContaining({
        name: "channel_send",
        input_schema: expect.objectContaining({ required: ["message"] }),
      }),
    );
  });

  test("marks only the instructions and the end of the conversation for caching, in every step", async () => {
    api.rules = [{ steps: [send("one"), send("two"), { text: "Done." }] }];
    await play();
    expect(api.requests).toHaveLength(3);
    for (const { body } of api.requests) {
      expect(JSON.stringify(body).split("cache_control").length - 1).toBe(2);
      expect(JSON.stringify(body["system"])).toContain("cache_control");
    }
  });

  test("counts and reports cached tokens as input", async () => {
    api.rules = [{ steps: [{ text: "Done.", usage: { input: 10, output: 5, cacheRead: 100, cacheWrite: 50 } }] }];
    const { outcome } = await play();
    expect(outcome.usage).toMatchObject({
      inputTokens: 160,
      outputTokens: 5,
      cacheReadTokens: 100,
      cacheWriteTokens: 50,
    });
  });
});

describe("the end of a turn", () => {
  test("the last text is the final text", async () => {
    api.rules = [{ steps: [{ text: "Let me see.", ...send("hello") }, { text: "Done." }] }];
    expect((await play()).outcome).toMatchObject({ status: "succeeded", text: "Done." });
  });

  test("an empty answer is valid", async () => {
    api.rules = [{ steps: [{ text: "" }] }];
    expect((await play()).outcome).toMatchObject({ status: "succeeded", text: "" });
  });

  test("a failure in a later step reports the usage of earlier steps", async () => {
    api.rules = [{ steps: [{ ...send("one"), usage: { input: 70 } }, { status: 500 }] }];
    expect((await play()).outcome).toMatchObject({ status: "failed", usage: { inputTokens: 70 } });
  });

  test("the cost of an unknown model is unknown", async () => {
    expect((await play({ model: "a-model" })).outcome.usage).not.toHaveProperty("cost", 0);
    expect((await play({ model: "a-model" })).outcome.usage?.cost).toBeUndefined();
  });

  test("a daemon that revokes the turn ends it", async () => {
    server.acceptsCalls = 2;
    api.rules = [{ steps: [send("one"), send("two"), { text: "Done." }] }];
    const { outcome } = await play();
    expect(outcome).toMatchObject({
      failure: { kind: "transient", message: expect.stringMatching(/^the daemon refused a call/) },
    });
  });

  test("the model sees a tool's error and continues", async () => {
    api.rules = [{ steps: [{ calls: [{ tool: "refuse" }] }, { text: "Never mind." }] }];
    const { outcome, events } = await play();
    expect(outcome).toMatchObject({ status: "succeeded", text: "Never mind." });
    expect(events).toContainEqual(expect.objectContaining({ type: "tool-result", ok: false, text: "no such luck" }));
    expect(api.requests[1]?.results).toEqual([expect.stringContaining("no such luck")]);
  });
});

describe("history", () => {
  test("fresh keeps nothing", async () => {
    expect((await play()).outcome).not.toHaveProperty("conversation");
  });

  test("thread gives the next turn the earlier text and calls", async () => {
    api.rules = [{ steps: [send("@bob one"), { text: "First done." }] }];
    const first = await play({ history: "thread" });
    if (first.outcome.status !== "succeeded") throw new Error(first.outcome.failure.message);
    server.inbox = [toolMessage("and now?")];
    const second = await play({ history: "thread" }, first.outcome.conversation);
    const { said, results, body } = api.requests.at(-1)!;
    expect(said.join("\n")).toMatch(/hello[^]*and now\?/);
    expect(results.join("")).toContain("m9");
    expect(JSON.stringify(body)).toContain("First done.");
    expect(second.outcome).toMatchObject({ conversation: expect.stringContaining("and now?") });
  });
});
