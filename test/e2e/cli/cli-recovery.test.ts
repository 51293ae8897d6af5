/** Stopped agents, parked messages and dead letters, and the commands that get them going again. */
import { describe, expect, test } from "bun:test";
import type { DeliveryList, InboxResponse } from "../../../src/protocol/http/inbox.ts";
import type { SendResponse, Why } from "../../../src/protocol/http/messages.ts";
import type { WorkflowInfo } from "../../../src/protocol/instance.ts";
import { createGate } from "../../fixtures/gate.ts";
import { openProgram, type Program } from "../../fixtures/program.ts";

const desk = `agents:
  clerk:
    backend: mock
    script:
      - { on: broken, do: [{ fail: { kind: permanent, attempts: 1 } }, { say: Fixed. }] }
      - { on: hopeless, do: [{ fail: { kind: permanent } }] }
      - { on: ".", do: [{ say: "From ten to six." }] }
  expert: { backend: mock }
`;

async function openDesk(): Promise<Program> {
  const program = await openProgram();
  program.write("desk.yaml", desk);
  await program.give(["start", "desk.yaml", "-d"]);
  return program;
}

/** Sends a message that becomes a dead letter; returns its id. */
async function sendDead(program: Program, text: string): Promise<string> {
  const { exitCode, stdout } = await program.give(["send", "clerk@desk", text, "--wait", "--json"]);
  expect(exitCode).toBe(1);
  return JSON.parse(stdout).error.details.message;
}

async function states(program: Program, target = "@desk"): Promise<[string, string][]> {
  const { deliveries } = await program.ask<DeliveryList>("inbox", target);
  return deliveries.map(({ state, message }) => [state, message.content]);
}

describe("a stopped agent", () => {
  test("gets its messages parked until it is started again, while other agents keep working", async () => {
    await using program = await openDesk();
    const stopped = await program.give(["stop", "clerk@desk"]);
    expect(stopped).toMatchObject({ exitCode: 0, stdout: "stopped clerk@desk\n" });
    expect(stopped.stderr).toContain("agent-worker start clerk@desk");
    const { stdout, stderr } = await program.give(["send", "clerk@desk", "hello"]);
    expect(stderr).toContain("not running: clerk; the message waits");
    expect(stderr).toContain("agent-worker start clerk@desk");
    const waited = await program.give(["send", "clerk@desk", "and you?", "--wait"]);
    expect(waited.exitCode).toBe(1);
    expect(waited.stderr).toMatch(/is parked for clerk.*\n.*agent-worker start clerk@desk/);
    expect((await program.give(["send", "expert@desk", "hi", "--wait"])).exitCode).toBe(0);

    const [id = ""] = /m[0-9a-z]{12}/.exec(stdout) ?? [];
    const why = await program.give(["why", id]);
    expect(why.stdout).toContain("■ parked");
    expect(why.stderr).toContain("agent-worker start clerk@desk");
    expect(await states(program)).toEqual([
      ["parked", "hello"],
      ["parked", "and you?"],
    ]);
    expect((await program.give(["ls"])).stdout).toContain("clerk   stopped  mock  2 parked");

    // It stays stopped after a restart of the daemon.
    await program.give(["daemon", "stop"]);
    expect((await program.ask<WorkflowInfo>("status", "@desk")).agents).toMatchObject([
      { state: "stopped" },
      { state: "idle" },
    ]);

    expect(await program.give(["start", "clerk@desk"])).toMatchObject({ exitCode: 0, stdout: "started clerk@desk\n" });
    expect((await program.give(["send", "clerk@desk", "last", "--wait"])).stdout).toBe("From ten to six.\n");
    expect(await states(program)).toEqual([]);
  });
});

describe("a stopped workflow", () => {
  test("parks current and new messages, and handles them when it is started again", async () => {
    await using program = await openProgram();
    const gate = createGate(program.project);
    const steps = JSON.stringify([gate.wait, { say: "Done with ${{ inbox }}" }]);
    program.write(
      "desk.yaml",
      `agents:\n  clerk: { backend: mock, tools: [bash], script: [{ on: ".", do: ${steps} }] }\n`,
    );
    const watched = program.start(["start", "desk.yaml"]);
    await watched.says("@desk · clerk");
    const { message } = await program.ask<SendResponse>("send", "clerk@desk", "first");
    await gate.arrival();
    expect(await program.give(["down", "@desk"])).toMatchObject({ exitCode: 0, stdout: "stopped @desk\n" });
    expect((await watched.ended).stdout).toContain("■ stopped");
    const second = await program.give(["send", "clerk@desk", "second"]);
    expect(second.stderr).toContain("agent-worker start @desk");
    expect(await states(program)).toEqual([
      ["parked", "first"],
      ["parked", "second"],
    ]);
    expect((await program.give(["attach", "@desk"])).exitCode).toBe(1);

    expect(await program.give(["start", "@desk"])).toMatchObject({ exitCode: 0, stdout: "started @desk\n" });
    const follow = program.start(["logs", "-f", "@desk"]);
    for (const text of ["first", "second"]) {
      await gate.open();
      await follow.says(`Done with user: ${text}`);
    }
    const { deliveries } = await program.ask<Why>("why", message.id);
    expect(deliveries).toMatchObject([{ state: "done", attempts: 0 }]);
    expect(await states(program)).toEqual([]);
    follow.kill("SIGINT");
    await follow.ended;
  });

  test("in the foreground is stopped by Ctrl-C, and shows how to start it again", async () => {
    await using program = await openProgram();
    program.write("desk.yaml", desk);
    const watched = program.start(["start", "desk.yaml"]);
    await watched.says("@desk · clerk, expert");
    watched.kill("SIGINT");
    const { exitCode, stderr } = await watched.ended;
    expect(exitCode).toBe(130);
    expect(stderr).toContain("agent-worker start @desk");
    expect(await program.ask<WorkflowInfo>("status", "@desk")).toMatchObject({ state: "stopped" });
    expect(await program.give(["resume", "@desk"])).toMatchObject({
      exitCode: 0,
      stderr: "nothing is parked in @desk\n",
    });
    expect((await program.give(["stop", "--all"])).stderr).toContain("nothing was running");
  });
});

describe("a dead letter", () => {
  test("is listed and explained, and is handled after redrive", async () => {
    await using program = await openDesk();
    const asked = await program.give(["send", "clerk@desk", "it is hopeless", "--wait"]);
    expect(asked.exitCode).toBe(1);
    expect(asked.stderr).toMatch(/clerk gave up on (m\w+) after 1 attempt: .*\n.*agent-worker redrive \1/);
    await program.give(["discard", /m[0-9a-z]{12}/.exec(asked.stderr)?.[0] ?? ""]);
    const id = await sendDead(program, "it is broken");
    const inbox = await program.give(["inbox", "@desk", "--dead"]);
    expect(inbox.stdout).toMatch(new RegExp(`^dead +${id} +user → clerk .*it is broken`));
    expect(inbox.stderr).toContain("agent-worker redrive @desk");
    const why = await program.give(["why", id]);
    expect(why.stdout).toContain("✗ dead after 1 attempt");
    for (const verb of ["redrive", "discard"]) expect(why.stderr).toContain(`agent-worker ${verb} ${id}`);
    expect((await program.give(["ls"])).stdout).toContain("1 dead");
    expect((await program.give(["peek", "@desk"])).stdout).toContain("could not handle message #3");

    const follow = program.start(["attach", "@desk"]);
    await follow.says("dead letter");
    expect(await program.give(["redrive", id])).toMatchObject({
      exitCode: 0,
      stdout: "1 dead letter back in the inbox\n",
    });
    await follow.says("Fixed.");
    follow.kill("SIGTERM");
    expect((await follow.ended).exitCode).toBe(143);
    expect((await program.give(["why", id])).stdout).toContain("clerk  ✓ done");
    expect(await states(program)).toEqual([]);
  });

  test("can be discarded once, by its id and from any folder", async () => {
    await using program = await openDesk();
    const ids = [await sendDead(program, "hopeless"), await sendDead(program, "hopeless, too")];
    const discarded = await program.give(["discard", ...ids], { cwd: program.home });
    expect(discarded).toMatchObject({ exitCode: 0, stdout: "discarded 2 deliveries\n" });
    expect(await program.give(["discard", ...ids])).toMatchObject({
      exitCode: 0,
      stdout: "",
      stderr: "nothing to discard\n",
    });
    expect((await program.give(["inbox", "--dead"])).stderr).toBe("no dead letters\n");
    expect(await program.ask<InboxResponse>("redrive", "@desk")).toEqual({ changed: [] });
    expect((await program.give(["why", ids[0] ?? ""])).stdout).toContain("discarded");
  });

  test("makes `run` exit with 1; after redrive, the run completes", async () => {
    await using program = await openProgram();
    program.write("broken.yaml", `${desk}kickoff: "@clerk it is broken"\n`);
    const { exitCode, stderr } = await program.give(["run", "broken.yaml"]);
    expect(exitCode).toBe(1);
    for (const part of ["✗ dead letter after 1 attempt", "1 dead letter", "agent-worker inbox @broken --dead"]) {
      expect(stderr).toContain(part);
    }
    const follow = program.start(["logs", "-f", "@broken"]);
    await follow.says("✗ failed");
    await program.give(["redrive", "@broken"]);
    await follow.says("✓ completed");
    follow.kill("SIGINT");
    expect((await follow.ended).stdout).toContain("→ user Fixed.");
    const { state, result } = await program.ask<WorkflowInfo>("status", "@broken");
    expect({ state, result }).toMatchObject({ state: "ended", result: { status: "completed", exitCode: 0, dead: 0 } });
  });
});

test("`attach` after `resume` shows the run until its new end, not its previous one", async () => {
  await using program = await openProgram();
  const gate = createGate(program.project);
  const tasks = [{ shell: "test -e ok" }, { shell: `${gate.wait.tool.args.command}; echo fixed` }];
  program.write("flaky.yaml", JSON.stringify({ agents: { clerk: { backend: "mock" } }, tasks }));
  expect((await program.give(["run", "flaky.yaml"])).exitCode).toBe(1);
  program.write("ok", "");
  expect((await program.give(["resume", "@flaky"])).exitCode).toBe(0);
  await gate.arrival();
  const attached = program.start(["attach", "@flaky"]);
  await attached.says("✗ failed");
  await gate.open();
  expect(await attached.ended).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("✓ completed") });
});
