/** A team that keeps running: every form of `send`, its answers, and how the listings show them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Why } from "../../../src/protocol/http/messages.ts";
import type { MessageList, WorkflowList } from "../../../src/protocol/http/workflows.ts";
import type { AgentInfo, WorkflowInfo } from "../../../src/protocol/instance.ts";
import { openProgram, type Program } from "../../fixtures/program.ts";
import { until } from "../../fixtures/until.ts";

const desk = `agents:
  clerk:
    backend: mock
    description: Takes questions
    script:
      - { on: wait, do: [{ wait: 1m }] }
      - { on: "^user:", do: [{ say: "From ten to six." }] }
  expert: { backend: mock }
`;
const answer = "From ten to six.\n";
/** The form of a message id. */
const id = /m[0-9a-z]{12}/;

let program: Program;
beforeAll(async () => {
  program = await openProgram();
  program.write("desk.yaml", desk);
});
afterAll(() => program[Symbol.asyncDispose]());

test("`start -d` returns at once and shows the next commands; a second start is refused", async () => {
  const { exitCode, stdout, stderr } = await program.give(["start", "desk.yaml", "-d"]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "started @desk\n" });
  for (const part of ["agent-worker send @desk", "agent-worker attach @desk"]) expect(stderr).toContain(part);
  const again = await program.give(["up", "desk.yaml", "-d"]);
  expect(again.exitCode).toBe(2);
  expect(again.stderr).toContain("agent-worker attach @desk");
});

describe("send --wait", () => {
  test.concurrent.each([
    { words: ["clerk@desk", "When?"] },
    { words: ["clerk@desk", "When", "do", "you", "open?"] },
    { words: ["When?", "--to", "clerk@desk"] },
    { words: ["clerk@desk", "-"], stdin: "When?\n" },
    { words: ["-", "--to", "clerk@desk"], stdin: "When?\n" },
    { words: ["@desk", "@clerk when?"] },
  ])("prints only the answer: $words", async ({ words, stdin }) => {
    const { exitCode, stdout } = await program.give(["send", ...words, "--wait"], { stdin });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: answer });
  });

  test("prints message and replies as JSON", async () => {
    const { message, replies } = await program.ask<{ message: object; replies: object[] }>(
      "send",
      "clerk@desk",
      "When?",
      "--wait",
    );
    expect(message).toMatchObject({ sender: "user", recipients: ["clerk"], content: "When?" });
    expect(replies).toMatchObject([{ sender: "clerk", content: "From ten to six." }]);
  });

  test("exits with 124 at the timeout; the message is still handled, and can be discarded", async () => {
    const { exitCode, stdout, stderr } = await program.give([
      "send",
      "clerk@desk",
      "please wait",
      "--wait",
      "--timeout",
      "200ms",
    ]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 124, stdout: "" });
    expect(stderr).toContain("no answer within 0.2s");
    const [message = ""] = id.exec(stderr) ?? [];
    expect(stderr).toContain(`agent-worker discard ${message}`);
    expect((await program.give(["why", message])).stdout).toContain("▸ being handled");

    const early = await program.give(["discard", message]);
    expect(early.exitCode).toBe(1);
    expect(early.stderr).toContain("agent-worker stop clerk@desk");
    await program.give(["stop", "clerk@desk"]);
    expect(await program.give(["discard", message])).toMatchObject({ exitCode: 0, stdout: "discarded 1 delivery\n" });
    await program.give(["start", "clerk@desk"]);
    expect(await program.give(["send", "clerk@desk", "When?", "--wait"])).toMatchObject({
      exitCode: 0,
      stdout: answer,
    });
  });

  test("refuses to wait if the message addresses no agent", async () => {
    const { exitCode, stderr } = await program.give(["send", "@desk", "hello there", "--wait"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("has no recipients");
  });
});

describe("send", () => {
  test("shows who got the message and how to track it", async () => {
    const { exitCode, stdout, stderr } = await program.give(["send", "expert@desk", "please look"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^sent m[0-9a-z]{12} to expert\n$/);
    expect(stderr).toMatch(/→ agent-worker why m[0-9a-z]{12}/);
    // The later listings depend on this message, and `send` did not wait for it.
    const [message = ""] = id.exec(stdout) ?? [];
    await until(async () => {
      const { deliveries } = await program.ask<Why>("why", message);
      return deliveries.length === 1 && deliveries.every(({ state }) => state === "done");
    });
  });

  test("warns about unknown names, and about a message that addresses no agent", async () => {
    const { exitCode, stderr } = await program.give(["send", "@desk", "@expart please look"]);
    expect(exitCode).toBe(0);
    expect(stderr).toContain("no agent named @expart; did you mean @expert?");
    expect(stderr).toContain("the message has no recipients");
  });

  test("refuses more than 256 KiB, with a hint", async () => {
    const { exitCode, stderr } = await program.give(["send", "clerk@desk", "-"], { stdin: "x".repeat(300 * 1024) });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/256 KiB.*\n.*file/);
  });
});

describe("after messages were sent", () => {
  test("the listings show them, for people and as JSON", async () => {
    const [people, workflow, agent] = [
      await program.give(["ls"]),
      await program.give(["status", "@desk"]),
      await program.give(["status", "clerk@desk"]),
    ];
    expect(people.stdout).toMatch(/^● @desk {2}running · \d+ messages/);
    expect(workflow.stdout).toMatch(/state +running \(start 1\)/);
    expect(agent.stdout).toMatch(/about +Takes questions/);

    const { workflows } = await program.ask<WorkflowList>("ls");
    expect(workflows).toMatchObject([{ target: "@desk", state: "running", project: program.project }]);
    expect(await program.ask<WorkflowInfo>("status", "@desk")).toMatchObject({ mode: "start", run: 1 });
    expect(await program.ask<AgentInfo>("status", "clerk@desk")).toMatchObject({ name: "clerk", backend: "mock" });
    expect(await program.ask<object>("inbox", "@desk")).toEqual({ deliveries: [] });
  });

  test("`peek` shows the conversation, one agent's messages, or the last ones", async () => {
    const all = await program.ask<MessageList>("peek", "@desk", "-n", "100");
    const last = await program.ask<MessageList>("peek", "@desk", "-n", "2");
    expect(last.messages).toEqual(all.messages.slice(-2));
    const expert = await program.ask<MessageList>("peek", "expert@desk");
    expect(expert.messages.map(({ content }) => content)).toEqual(["please look"]);
    expect((await program.give(["peek", "@desk"])).stdout).toContain("clerk   → user From ten to six.");
  });

  test("`why` shows the history of a handled message", async () => {
    const { messages } = await program.ask<MessageList>("peek", "@desk", "-n", "100");
    const first = messages.find(({ recipients }) => recipients.includes("clerk"))?.id ?? "";
    const { stdout, stderr } = await program.give(["why", first]);
    for (const part of [first, "user wrote it", "clerk  ✓ done", "the turn succeeded"]) expect(stdout).toContain(part);
    expect(stderr).toContain("agent-worker peek @desk");
    expect(await program.ask<Why>("why", first)).toMatchObject({ target: "@desk", deliveries: [{ state: "done" }] });
  });

  test("`logs` prints all events, as text or as lines of JSON", async () => {
    const text = await program.give(["logs", "@desk", "--verbose"]);
    expect(text.stdout).toContain("@desk · clerk, expert");
    const { stdout } = await program.give(["logs", "@desk", "--json", "-n", "5"]);
    const events = stdout.trimEnd().split("\n");
    expect(events).toHaveLength(5);
    expect(JSON.parse(events[0] ?? "")).toMatchObject({ workflow: "desk", seq: expect.any(Number) });
  });

  test("`logs -f` and `attach` show new events, and Ctrl-C ends them without stopping the workflow", async () => {
    const following = ["logs -f @desk", "attach clerk@desk"].map((line) => program.start(line.split(" ")));
    await Promise.all(following.map((command) => command.says("clerk")));
    await program.give(["send", "clerk@desk", "Are you still there?", "--wait"]);
    await Promise.all(following.map((command) => command.says("Are you still there?")));
    for (const command of following) command.kill("SIGINT");
    const [logs, attach] = await Promise.all(following.map(({ ended }) => ended));
    expect(logs?.exitCode).toBe(130);
    expect(attach).toMatchObject({
      exitCode: 130,
      stderr: expect.stringContaining("detached from @desk; it keeps running"),
    });
    expect(await program.ask<WorkflowInfo>("status", "@desk")).toMatchObject({ state: "running" });
  });
});
