/** Guarantees between agents, whatever they say: private messages stay private, and a waiting agent gets its turn. */
import { expect, test } from "bun:test";
import type { WorkflowInput } from "../../../src/protocol/definition/definition.ts";
import { SendResponse } from "../../../src/protocol/http/messages.ts";
import { MessageList } from "../../../src/protocol/http/workflows.ts";
import { RunResult } from "../../../src/protocol/instance.ts";
import { type OpenDaemon, openTestDaemon } from "../../fixtures/open-daemon.ts";

async function run(daemon: OpenDaemon, definition: WorkflowInput): Promise<RunResult> {
  return daemon.call("POST", "/serve", RunResult, { body: { definition, project: daemon.project } });
}

test("what an agent says after a private message is private, even without a recipient", async () => {
  await using daemon = await openTestDaemon();
  const args = { message: "the password is hunter2", to: ["bob"], private: true };
  await run(daemon, {
    name: "secret",
    agents: {
      alice: { backend: "mock", script: [[{ tool: { name: "channel_send", args } }, { say: "ok" }]] },
      bob: { backend: "mock", script: [[{ say: "stored hunter2" }]] },
      carol: { backend: "mock" },
    },
    kickoff: "@alice go",
  });
  const { messages } = await daemon.call("GET", "/workflows/@secret/messages", MessageList);
  expect(messages.filter(({ content }) => content.includes("hunter2")).map((message) => message.private)).toEqual([
    true,
    true,
  ]);
  const [secret] = await daemon.store.instances({ name: "secret" });
  const seen = await daemon.store.messages(secret!.id, { agent: "carol" }, { limit: 50 });
  expect(seen.some(({ content }) => content.includes("hunter2"))).toBe(false);
});

test("a mention inside a private message adds no recipient", async () => {
  await using daemon = await openTestDaemon();
  await daemon.start({ name: "quiet", agents: { bob: { backend: "mock" }, carol: { backend: "mock" } } });
  const body = { target: "bob@quiet", content: "what do you think of @carol ?", private: true };
  const { message } = await daemon.call("POST", "/messages", SendResponse, { body });
  expect(message.recipients).toEqual(["bob"]);
});

test("an agent that waits for a slot gets it before agents that were addressed later", async () => {
  await using daemon = await openTestDaemon();
  const chain = (other: string) => Array.from({ length: 4 }, (_, index) => [{ say: `@${other} ${index}` }]);
  const order: string[] = [];
  const definition: WorkflowInput = {
    name: "narrow",
    limits: { concurrency: 1 },
    agents: {
      ping: { backend: "mock", script: chain("pong") },
      pong: { backend: "mock", script: chain("ping") },
      patient: { backend: "mock", script: [[{ say: "at last" }]] },
    },
    kickoff: "@ping @patient start",
  };
  const body = { definition, project: daemon.project };
  for await (const event of daemon.events("/run", { method: "POST", body })) {
    if (event.type === "turn-start") order.push(event.agent);
  }
  expect(order.indexOf("patient")).toBeLessThanOrEqual(1);
});

test("a send to a workflow without a channel is refused", async () => {
  await using daemon = await openTestDaemon();
  await daemon.start({ name: "mute", agents: { bob: { backend: "mock" } }, context: false });
  const { status, error } = await daemon.ask("POST", "/messages", { body: { target: "bob@mute", content: "hi" } });
  expect([status, error?.message]).toEqual([400, expect.stringContaining("context: false")]);
});

test("a message from another environment does not change the environment of a running workflow", async () => {
  await using daemon = await openTestDaemon();
  const definition: WorkflowInput = { name: "kept", agents: { bob: { backend: "mock" } } };
  const started = await daemon.ask("POST", "/workflows", {
    body: { definition, project: daemon.project, env: { KEY: "mine" } },
  });
  expect(started.status).toBe(201);
  const body = { target: "bob@kept", content: "hi", env: { KEY: "theirs" } };
  await daemon.call("POST", "/messages", SendResponse, { body });
  const [kept] = await daemon.store.instances({ name: "kept" });
  expect(daemon.kernel.environments.of(kept!.id)).toEqual({ KEY: "mine" });
});
