/** `provider: file`: the files in the folder, during a run and after it. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkflowInput } from "../../src/protocol/definition/definition.ts";
import { SendResponse } from "../../src/protocol/http/messages.ts";
import { MessageList } from "../../src/protocol/http/workflows.ts";
import { RunResult } from "../../src/protocol/instance.ts";
import { renderEntry } from "../../src/text/transcript.ts";
import { temporaryFolder } from "../fixtures/folder.ts";
import { type OpenDaemon, openTestDaemon } from "../fixtures/open-daemon.ts";
import { until } from "../fixtures/until.ts";

const say = (message: string) => ({ tool: { name: "channel_send", args: { message } } });
const team = (more: Partial<WorkflowInput> = {}): WorkflowInput => ({
  name: "team",
  agents: {
    alice: { backend: "mock", script: [[say("@bob look at line 42"), { say: "Handed off." }]] },
    bob: { backend: "mock", script: [[{ say: "Looked." }]] },
  },
  context: { provider: "file" },
  ...more,
});

async function channelOf(daemon: OpenDaemon, target = "@team"): Promise<string> {
  const { messages } = await daemon.call("GET", `/workflows/${target}/messages?limit=500`, MessageList);
  return messages
    .filter((message) => !message.private)
    .map(renderEntry)
    .join("");
}

const read = (path: string) => (existsSync(path) ? readFileSync(path, "utf8") : "");
const send = (daemon: OpenDaemon, content: string, more: object = {}) =>
  daemon.call("POST", "/messages", SendResponse, { body: { target: "@team", content, cwd: daemon.project, ...more } });

describe("a run", () => {
  test("has written the whole channel and an empty inbox when it ends", async () => {
    await using daemon = await openTestDaemon();
    const body = { definition: team({ kickoff: "@alice begin" }), project: daemon.project };
    expect(await daemon.call("POST", "/serve", RunResult, { body })).toMatchObject({ status: "completed" });
    const folder = join(daemon.project, ".workflow/team/main");
    expect(read(join(folder, "channel.md"))).toBe(await channelOf(daemon));
    expect(read(join(folder, "channel.md"))).toContain("[alice] → bob\n@bob look at line 42\n");
    await until(() => JSON.parse(read(join(folder, "_state/inbox-state.json"))).state === "ended");
    expect(JSON.parse(read(join(folder, "_state/inbox-state.json")))).toMatchObject({
      target: "@team",
      agents: { alice: { pending: 0, messages: [] }, bob: { dead: 0 } },
    });
    expect(existsSync(join(folder, "_state/proposals.json"))).toBe(false);
  });

  test("writes its proposals to a file", async () => {
    await using daemon = await openTestDaemon();
    const ask = { tool: { name: "proposal_create", args: { title: "Which colour?", options: ["red", "blue"] } } };
    const agents = { alice: { backend: "mock" as const, script: [[ask]] }, bob: { backend: "mock" as const } };
    const body = { definition: team({ agents, kickoff: "@alice begin" }), project: daemon.project };
    expect(await daemon.call("POST", "/serve", RunResult, { body })).toMatchObject({ status: "completed" });
    const path = join(daemon.project, ".workflow/team/main/_state/proposals.json");
    await until(() => read(path).includes("resolved"));
    expect(JSON.parse(read(path))).toMatchObject({
      proposals: [{ title: "Which colour?", status: "resolved", result: { winner: "red" } }],
    });
    const { text } = await daemon.ask("GET", "/workflows/@team/export");
    expect(JSON.parse(text)).toMatchObject({ proposals: [{ title: "Which colour?", status: "resolved" }] });
  });

  test("that is fresh starts the channel file over", async () => {
    await using daemon = await openTestDaemon();
    const path = join(daemon.project, "notes here/talk.md");
    const context = { provider: "file" as const, config: { dir: "./notes here", channel: "talk.md" } };
    for (const kickoff of ["@alice first", "@alice second"]) {
      const body = { definition: team({ kickoff, context }), project: daemon.project, fresh: true };
      await daemon.call("POST", "/serve", RunResult, { body });
    }
    expect(read(path)).toBe(await channelOf(daemon));
    expect(read(path)).not.toContain("first");
  });
});

describe("a workflow that keeps running", () => {
  test("continues the same file after a restart of the daemon, and repairs a damaged file", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "project/.workflow/team/main/channel.md");
    {
      await using daemon = await openTestDaemon(folder.path);
      await daemon.start(team());
      await send(daemon, "one");
      await send(daemon, "hush", { to: ["bob"], private: true });
    }
    expect(read(path)).toContain("one");
    writeFileSync(path, read(path).slice(0, -3));
    await using daemon = await openTestDaemon(folder.path);
    await daemon.resumeWork();
    await send(daemon, "two");
    await until(() => read(path).includes("two"));
    expect(read(path)).toBe(await channelOf(daemon));
    expect(read(path)).not.toContain("hush");
  });

  test("does not share its files with another running instance", async () => {
    await using daemon = await openTestDaemon();
    const context = { provider: "file" as const, config: { dir: "shared" } };
    await daemon.start(team({ context }));
    const body = { definition: team({ context }), project: daemon.project, tag: "other" };
    const { error } = await daemon.ask("POST", "/workflows", { body });
    expect(error).toMatchObject({ code: "conflict", hint: expect.stringContaining("${{ workflow.tag }}") });
    expect(error?.message).toContain("already contains the context of @team");
    await daemon.ask("DELETE", "/workflows/@team");
    expect(await daemon.ask("POST", "/workflows", { body })).toMatchObject({ status: 201 });
  });

  test("keeps and accepts all messages if its files cannot be written, and reports it once in the channel", async () => {
    await using daemon = await openTestDaemon();
    mkdirSync(join(daemon.project, ".workflow"));
    symlinkSync(daemon.home, join(daemon.project, ".workflow/team"));
    await daemon.start(team());
    const texts = async () => {
      const { messages } = await daemon.call("GET", "/workflows/@team/messages", MessageList);
      return messages.map(({ sender, content }) => `${sender}: ${content}`);
    };
    for (const content of ["one", "two"]) await send(daemon, content);
    await until(async () => (await texts()).some((text) => text.startsWith("system: ")));
    await send(daemon, "three");
    const reports = (await texts()).filter((text) => text.startsWith("system: "));
    expect(reports).toEqual([expect.stringContaining("is a link that points outside the project")]);
    expect(await texts()).toEqual(expect.arrayContaining(["user: one", "user: two", "user: three"]));
    expect(existsSync(join(daemon.home, "main"))).toBe(false);
  });
});
