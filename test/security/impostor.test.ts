/** S12: another program that listens in the daemon's place, on its old port or on a socket, is sent nothing secret. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../src/index.ts";
import { version } from "../../src/protocol/version.ts";
import { homeFiles } from "../../src/system/home.ts";
import { launcher } from "../fixtures/command.ts";
import { startDaemon } from "../fixtures/daemon.ts";
import { openProgram, type Program } from "../fixtures/program.ts";
import { until } from "../fixtures/until.ts";

setDefaultTimeout(40_000);

const message = "the text of a private message";
const env = { PRIVATE_KEY: "a value of the caller's environment" };
const team = 'agents:\n  alice: { backend: mock, script: [[{ say: "@user hello" }]] }\nkickoff: "@alice hi"\n';
const call = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "message_send", arguments: { target: "@team", message } },
});
const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
});

const health = { pid: 1, version, uptime: 1, workflows: 0, running: 0, agents: 0, turns: 0 };

type Place = { hostname: string; port: number } | { unix: string };
type Impostor = { received: string[] } & Disposable;

/** Answers every request as the real daemon once answered `/health`, and records everything it is sent. */
function openImpostor(place: Place, answer: unknown): Impostor {
  const received: string[] = [];
  const server = Bun.serve({
    ...place,
    async fetch(request) {
      const headers = JSON.stringify(Object.fromEntries(request.headers));
      received.push(`${request.method} ${request.url} ${headers} ${await request.text()}`);
      return Response.json(answer);
    },
  });
  return { received, [Symbol.dispose]: () => void server.stop(true) };
}

/** Kills a daemon, whose `daemon.json` and socket remain, and takes over its port with a replay of its answers. */
async function replaceKilledDaemon(program: Program): Promise<Impostor> {
  const daemon = await startDaemon(program);
  const answer = await daemon.health();
  await daemon.crash();
  expect(existsSync(join(program.home, homeFiles.daemon))).toBe(true);
  return openImpostor({ hostname: daemon.file.host, port: daemon.file.port }, answer);
}

/** A killed process can still have its port for a moment. */
async function isFree(port: number): Promise<boolean> {
  try {
    await Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true);
    return true;
  } catch {
    return false;
  }
}

describe("an impostor on the port of a killed daemon", () => {
  test.concurrent.each([
    ["ls", ["ls"]],
    ["run", ["run", "team.yaml"]],
    ["start", ["start", "team.yaml", "-d"]],
    ["new", ["new", "alice", "--backend", "mock"]],
    ["feedback", ["feedback", message]],
    ["daemon start", ["daemon", "start"]],
  ])("is sent nothing by `%s`, which starts a daemon", async (_, line) => {
    await using program = await openProgram();
    program.write("team.yaml", team);
    using impostor = await replaceKilledDaemon(program);
    const { exitCode, stderr } = await program.give(line, { env });
    expect({ exitCode, stderr, received: impostor.received }).toEqual({
      exitCode: 0,
      stderr: expect.stringContaining("started the daemon"),
      received: [],
    });
  });

  test.concurrent("is sent nothing by `send`, whose message reaches the agents of a new daemon", async () => {
    await using program = await openProgram();
    program.write("team.yaml", team);
    await program.give(["start", "team.yaml", "-d"]);
    await program.give(["daemon", "stop"]);
    using impostor = await replaceKilledDaemon(program);
    const { exitCode } = await program.give(["send", "alice@team", message], { env });
    expect({ exitCode, received: impostor.received }).toEqual({ exitCode: 0, received: [] });
    expect((await program.give(["peek", "@team"])).stdout).toContain(message);
  });

  test.concurrent("is sent nothing by `daemon status` and `daemon stop`, which find no daemon", async () => {
    await using program = await openProgram();
    using impostor = await replaceKilledDaemon(program);
    expect(await program.give(["daemon", "status"], { env })).toMatchObject({
      stdout: expect.stringContaining("the daemon is not running"),
    });
    expect(await program.give(["daemon", "stop"], { env })).toMatchObject({
      stderr: expect.stringContaining("the daemon was not running"),
    });
    expect(impostor.received).toEqual([]);
  });

  test.concurrent("is sent nothing by the library", async () => {
    await using program = await openProgram();
    const file = program.write("team.yaml", team);
    using impostor = await replaceKilledDaemon(program);
    const result = await run(file, { home: program.home, project: program.project, env: { ...program.env, ...env } });
    expect({ output: result.output, received: impostor.received }).toEqual({ output: "@user hello", received: [] });
  });

  test.concurrent("is sent nothing by `mcp`, neither at first nor when the daemon dies between two requests", async () => {
    await using program = await openProgram();
    using first = await replaceKilledDaemon(program);
    const bridge = Bun.spawn([launcher, "mcp"], {
      cwd: program.project,
      env: { ...program.env, ...env },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
    });
    const answers = bridge.stdout.getReader();
    const ask = async (line: string): Promise<string> => {
      bridge.stdin.write(`${line}\n`);
      await bridge.stdin.flush();
      return new TextDecoder().decode((await answers.read()).value);
    };
    expect(await ask(initialize)).toContain('"protocolVersion"');
    const { pid, url } = await program.ask<{ pid: number; url: string }>("daemon", "status");
    process.kill(pid, "SIGKILL");
    const port = Number(new URL(url).port);
    await until(() => isFree(port));
    using second = openImpostor({ hostname: "127.0.0.1", port }, { ...health, pid });
    // The new daemon does not know the team: its answer shows that the request has reached it.
    expect(await ask(call)).toContain('"id":1');
    await bridge.stdin.end();
    await bridge.exited;
    expect({ first: first.received, second: second.received }).toEqual({ first: [], second: [] });
  });
});

describe("an impostor on the socket", () => {
  /** A folder that contains what another user could have put there: a hint and a socket that answers. */
  function prepareTrap(program: Program) {
    const home = join(program.path, "trap");
    mkdirSync(home, { mode: 0o700 });
    const hint = { pid: 1, host: "127.0.0.1", port: 1, token: "0".repeat(64), version, startedAt: 0 };
    writeFileSync(join(home, homeFiles.daemon), JSON.stringify(hint));
    return { home, impostor: openImpostor({ unix: join(home, homeFiles.socket) }, health) };
  }

  async function expectRefusal(program: Program, home: string, impostor: Impostor, reason: string): Promise<void> {
    program.write("team.yaml", team);
    for (const line of [["ls"], ["run", "team.yaml"], ["send", "alice", message], ["daemon", "stop"], ["mcp"]]) {
      const { exitCode, stderr } = await program.give([...line, "--home", home], { env });
      expect({ line, exitCode, stderr }).toEqual({ line, exitCode: 5, stderr: expect.stringContaining(reason) });
    }
    expect(impostor.received).toEqual([]);
  }

  test.concurrent.each(["770", "707", "1777"])("is sent nothing in a home with mode %s", async (mode) => {
    await using program = await openProgram();
    const { home, impostor } = prepareTrap(program);
    using _ = impostor;
    chmodSync(home, Number.parseInt(mode, 8));
    await expectRefusal(program, home, impostor, "other users can write to the home folder");
  });

  test.concurrent("is sent nothing in a home of another user, not even by root", async () => {
    if (process.getuid?.() !== 0) {
      process.stderr.write("SKIPPED: a home of another user, because only root can create one\n");
      return;
    }
    await using program = await openProgram();
    const { home, impostor } = prepareTrap(program);
    using _ = impostor;
    chownSync(home, 65_534, 65_534);
    await expectRefusal(program, home, impostor, "belongs to another user");
  });

  test.concurrent("would have been asked in a private home, so the cases above would have failed", async () => {
    await using program = await openProgram();
    const { home, impostor } = prepareTrap(program);
    using _ = impostor;
    await program.give(["daemon", "status", "--home", home]);
    expect(impostor.received).toEqual([expect.stringContaining("/health")]);
  });
});
