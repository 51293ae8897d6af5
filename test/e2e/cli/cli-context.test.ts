/** `context`: programs that an agent runs act for it, authorised only by the token of its turn. */
import { describe, expect, test } from "bun:test";
import { start } from "agent-worker";
import { launcher } from "../../fixtures/command.ts";
import { type ClaimedTurn, claimTurn, openTeam, owe } from "../../fixtures/claimed-turn.ts";
import { type OpenDaemon, openTestDaemon } from "../../fixtures/open-daemon.ts";
import { openProgram, type Program } from "../../fixtures/program.ts";

type Turn = ClaimedTurn & {
  daemon: OpenDaemon;
  team: string;
  program: Program;
  env: Record<string, string>;
} & AsyncDisposable;

/** A turn of alice, and a program that runs inside it. */
async function openTurn(): Promise<Turn> {
  const daemon = await openTestDaemon();
  const team = await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
  const claimed = await claimTurn(daemon.store, team, "alice");
  const program = await openProgram();
  const env = { AGENT_WORKER_URL: `${daemon.url}/mcp`, AGENT_WORKER_TOKEN: claimed.token };
  return {
    ...claimed,
    daemon,
    team,
    program,
    env,
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      await daemon[Symbol.asyncDispose]();
    },
  };
}

describe("in an agent's turn", () => {
  test("sends, reads and acknowledges messages, and lists the inbox", async () => {
    await using turn = await openTurn();
    const give = (...line: string[]) => turn.program.give(["context", ...line], { env: turn.env });
    expect((await give("send", "@bob", "look here")).stdout).toContain("to bob");
    const read = JSON.parse((await give("read", "--json", "-n", "1")).stdout);
    expect(read.messages).toMatchObject([{ sender: "alice", content: "@bob look here" }]);
    const second = await owe(turn.daemon.store, turn.team, "alice", "and this", "bob");
    const inbox = JSON.parse((await give("inbox", "--json")).stdout);
    expect(inbox.messages.map(({ id }: { id: string }) => id)).toContain(second.id);
    expect(JSON.parse((await give("ack", second.id, "--json")).stdout)).toEqual({ acked: [second.id] });
    expect((await give("ack", "m000000000000")).stderr).toContain("not one of your messages");
  });

  test("writes documents from arguments and stdin, reads and lists them", async () => {
    await using turn = await openTurn();
    const give = (line: string[], stdin?: string) =>
      turn.program.give(["context", "doc", ...line], { env: turn.env, ...(stdin !== undefined && { stdin }) });
    expect((await give(["create", "log.md", "first"])).exitCode).toBe(0);
    expect((await give(["append", "log.md", "-"], "second\n")).exitCode).toBe(0);
    expect((await give(["read", "log.md"])).stdout).toContain("first\nsecond");
    expect(JSON.parse((await give(["list", "--json"])).stdout).documents).toMatchObject([{ file: "log.md" }]);
    const stale = await give(["write", "log.md", "mine", "--base", "1"]);
    expect(stale).toMatchObject({ exitCode: 1, stdout: "" });
    expect(stale.stderr).toContain("second");
  });

  test("calls every other tool by its name", async () => {
    await using turn = await openTurn();
    const give = (...line: string[]) => turn.program.give(["context", ...line], { env: turn.env });
    expect((await give("agents")).stdout).toContain("@alice (you)");
    expect((await give("status", "thinking")).exitCode).toBe(0);
    expect(JSON.parse((await give("call", "workflow_agents", "--json")).stdout).agents).toHaveLength(2);
    expect(await give("call", "no_such_tool")).toMatchObject({ exitCode: 2 });
    expect((await give("call", "channel_read", "[]")).stderr).toContain("JSON object");
  });
});

describe("without a turn", () => {
  test("reports what is missing, and that the command is for agents", async () => {
    await using program = await openProgram();
    const { exitCode, stdout, stderr } = await program.give(["context", "inbox"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain("AGENT_WORKER_TOKEN");
    expect(stderr).toContain("outside a turn, use");
  });

  test("after the turn has ended, sends nothing and starts nothing", async () => {
    await using turn = await openTurn();
    await turn.daemon.store.release(turn.claim, "over");
    const before = await turn.daemon.store.lastEvent();
    const { exitCode, stderr } = await turn.program.give(["context", "send", "@bob late"], { env: turn.env });
    expect(exitCode).toBe(5);
    expect(stderr).toContain("this turn has ended");
    expect(await turn.daemon.store.lastEvent()).toBe(before);
    expect(turn.program.processes()).toEqual([]);
  });

  test("reports a daemon that is not running, and starts none", async () => {
    await using program = await openProgram();
    const env = { AGENT_WORKER_URL: "http://127.0.0.1:9/mcp", AGENT_WORKER_TOKEN: "x" };
    expect(await program.give(["context", "inbox"], { env })).toMatchObject({ exitCode: 5 });
    expect(program.processes()).toEqual([]);
  });
});

test.each([[["sned", "x"]], [["send"]], [["ack"]], [["doc", "raed"]], [["inbox", "more"]]])(
  "context %p is a usage error",
  async (line) => {
    await using turn = await openTurn();
    expect(await turn.program.give(["context", ...line], { env: turn.env })).toMatchObject({ exitCode: 2, stdout: "" });
  },
);

describe("commands for people, inside a turn,", () => {
  const env = { AGENT_WORKER_URL: "http://127.0.0.1:9/mcp", AGENT_WORKER_TOKEN: "x" };

  test.each(["ls", "send @team hello", "run team.yaml", "new alice -b mock", "daemon start", "agent rm alice"])(
    "are refused without starting a daemon: `%s`",
    async (line) => {
      await using program = await openProgram();
      const { exitCode, stdout, stderr } = await program.give(line.split(" "), { env });
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
      expect(stderr).toContain("inside an agent's turn");
      expect(stderr).toContain("use agent-worker context");
      expect(program.processes()).toEqual([]);
    },
  );

  test.each(["--version", "--help", "send --help", "help run", "context --help"])(
    "still show help and version: %s",
    async (line) => {
      await using program = await openProgram();
      expect(await program.give(line.split(" "), { env })).toMatchObject({ exitCode: 0, stderr: "" });
    },
  );

  test("are refused through the library too", async () => {
    await using program = await openProgram();
    const options = { project: program.project, home: program.home, env: { ...program.env, ...env } };
    const started = start({ name: "team", agents: { alice: { backend: "mock" } } }, options);
    await expect(started).rejects.toThrow("inside an agent's turn");
    expect(program.processes()).toEqual([]);
  });
});

test("an agent's bash can send messages for it, and its token is never shown", async () => {
  await using program = await openProgram();
  const bash = (command: string) => ({ tool: { name: "bash", args: { command } } });
  const workflow = {
    name: "team",
    kickoff: "@alice go",
    agents: {
      alice: {
        backend: "mock",
        tools: ["bash"],
        script: [[bash(`${launcher} context send "@bob from bash"`), bash("env"), { say: "${{ result }}" }]],
      },
      bob: { backend: "mock", script: [[{ say: "got: ${{ inbox }}" }]] },
    },
  };
  const file = program.write("team.json", JSON.stringify(workflow));
  const { exitCode, stdout } = await program.give(["run", file, "--events"]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("@bob from bash");
  expect(stdout).toContain("AGENT_WORKER_TOKEN=[redacted]");
  expect(stdout).not.toMatch(/awt_w/);
});
