/** How a command finds its target: by name, by folder, by default; and standalone agents, which have no workflow. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { MessageList } from "../../../src/protocol/http/workflows.ts";
import type { AgentInfo, WorkflowInfo } from "../../../src/protocol/instance.ts";
import { openProgram, type Program } from "../../fixtures/program.ts";

const desk = "agents:\n  clerk: { backend: mock, script: [{ on: '.', do: [{ say: Yes. }] }] }\n";

describe("a target", () => {
  let program: Program;
  let other: string;
  let deep: string;
  beforeAll(async () => {
    program = await openProgram();
    program.write("desk.yaml", desk);
    other = join(program.path, "other");
    deep = join(program.project, "src/deep");
    for (const folder of [other, deep]) mkdirSync(folder, { recursive: true });
    await program.give(["start", "desk.yaml", "-d"]);
    await program.give(["start", join(program.project, "desk.yaml"), "-d"], { cwd: other });
  });
  afterAll(() => program[Symbol.asyncDispose]());

  const projectOf = async (line: string[], cwd: string): Promise<string> => {
    const { exitCode, stdout, stderr } = await program.give([...line, "--json"], { cwd });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const { project }: WorkflowInfo = JSON.parse(stdout);
    return project;
  };

  test("is looked up in the current folder and its parents, and defaults to the only instance there", async () => {
    expect(await projectOf(["status", "@desk"], program.project)).toBe(program.project);
    expect(await projectOf(["status", "clerk@desk"], deep)).toBe(program.project);
    expect(await projectOf(["status"], deep)).toBe(program.project);
    expect(await projectOf(["status"], other)).toBe(other);

    // With nested projects, the innermost one.
    const inner = join(program.project, "inner");
    mkdirSync(inner);
    await program.give(["start", "../desk.yaml", "-d"], { cwd: inner });
    expect(await projectOf(["status", "@desk"], inner)).toBe(inner);
    expect(await projectOf(["status", "@desk"], program.project)).toBe(program.project);
    expect((await program.give(["rm", "@desk", "--force"], { cwd: inner })).exitCode).toBe(0);
  });

  test("that exists in several folders is refused elsewhere, unless --project selects one", async () => {
    const { exitCode, stderr } = await program.give(["send", "clerk@desk", "hello"], { cwd: program.home });
    expect(exitCode).toBe(2);
    for (const part of [program.project, other, "--project <folder>"]) expect(stderr).toContain(part);
    expect(await projectOf(["status", "@desk", "--project", other], program.home)).toBe(other);
    expect(await projectOf(["status", "@desk", "--project", "../other"], program.project)).toBe(other);
    const asked = await program.give(["send", "clerk@desk", "hello", "--wait", "--project", other], {
      cwd: program.home,
    });
    expect(asked.stdout).toBe("Yes.\n");
    const { messages } = await program.ask<MessageList>("peek", "@desk");
    expect(messages).toEqual([]);
  });

  test.concurrent.each([
    ["an agent", ["status", "clark@desk"], "no agent 'clark' in @desk", "did you mean clerk@desk?"],
    ["a workflow", ["peek", "@desc"], "there is no workflow @desc", "did you mean @desk?"],
    ["a tag", ["stop", "@desk:mian"], "@desk:mian", "@desk"],
    ["a workflow without its @", ["status", "desk"], "no agent named 'desk'", "did you mean the workflow @desk?"],
    ["a message", ["why", "m000000000000"], "there is no message m000000000000", "agent-worker peek"],
    ["a message to redrive", ["redrive", "m000000000000"], "there is no message m000000000000", "agent-worker peek"],
    ["a default", ["use", "@dask"], "there is no workflow @dask", "did you mean @desk?"],
    ["a standalone agent", ["rm", "nobody"], "agent", "agent-worker"],
    ...["peek", "export", "logs", "proposals", "attach", "ls", "doc list", "proposals create --options a,b"].map(
      (line): [string, string[], string, string] => [
        `an agent, for \`${line}\`,`,
        [...line.split(" "), "clark@desk", ...(line.includes("create") ? ["Which?"] : [])],
        "no agent 'clark' in @desk; available: clerk",
        "did you mean clerk@desk?",
      ],
    ),
    [
      "a workflow without its @, behind a verb,",
      ["doc", "list", "desk"],
      "no agent named 'desk'",
      "the workflow @desk?",
    ],
    [
      "a proposal, by a workflow's name,",
      ["vote", "desk", "yes"],
      "no proposal 'desk'",
      "agent-worker proposals lists them",
    ],
    ["a message, by a workflow's name,", ["why", "desk"], "no message desk", "agent-worker"],
    [
      "a workflow without its @, for `peek`,",
      ["peek", "desk"],
      "no agent named 'desk'",
      "did you mean the workflow @desk?",
    ],
  ] satisfies [string, string[], string, string][])(
    "that names %s that does not exist is refused, with the nearest name",
    async (_, line, message, hint) => {
      const { exitCode, stdout, stderr } = await program.give(line);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
      expect(stderr).toContain(message);
      expect(stderr).toContain(hint);
    },
  );

  test("that already runs keeps running when it is started again, and start reports it", async () => {
    const { exitCode, stdout } = await program.give(["start", "@desk"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "@desk is already running\n" });
  });

  test("with a tag is a separate instance", async () => {
    await program.give(["start", "desk.yaml", "-d", "--instance", "pr-1"]);
    expect((await program.give(["send", "clerk@desk:pr-1", "hello", "--wait"])).stdout).toBe("Yes.\n");
    expect((await program.ask<MessageList>("peek", "@desk", "--tag", "pr-1")).messages).toHaveLength(2);
    expect((await program.ask<MessageList>("peek", "@desk")).messages).toEqual([]);
    const which = await program.give(["peek"]);
    expect(which.exitCode).toBe(2);
    expect(which.stderr).toMatch(/several workflows match: (@desk, @desk:pr-1|@desk:pr-1, @desk)\n.*agent-worker use/);
    expect(await program.give(["use", "@desk:pr-1"])).toMatchObject({
      exitCode: 0,
      stdout: "default target: @desk:pr-1\n",
    });
    expect((await program.ask<MessageList>("peek")).messages).toHaveLength(2);
    await program.give(["use", "--clear"]);
    expect((await program.give(["rm", "@desk:pr-1"])).exitCode).toBe(1);
    expect(await program.give(["rm", "@desk:pr-1", "--force"])).toMatchObject({
      exitCode: 0,
      stdout: "removed @desk:pr-1\n",
    });
    expect((await program.give(["status", "@desk:pr-1"])).exitCode).toBe(2);
  });
});

describe("a standalone agent", () => {
  test("is created, messaged in private, stopped, started and removed", async () => {
    await using program = await openProgram();
    program.write(
      "script.yaml",
      '- { on: ".", do: [{ tool: { name: workflow_agents } }, { say: "Hello yourself." }] }\n',
    );
    program.write("prompt.md", "You are brief.\n");
    const line = ["new", "alice", "-b", "mock", "--script", "script.yaml", "-f", "prompt.md"];
    expect(await program.give(line)).toMatchObject({ exitCode: 0, stdout: "created alice, the default target\n" });
    const again = await program.give(line);
    expect(again.exitCode).toBe(1);
    expect(again.stderr).toContain("there is already an agent named alice");
    expect(await program.give(["agent", "new", "bob", "-b", "mock"])).toMatchObject({
      exitCode: 0,
      stdout: "created bob\n",
    });

    // The first one is the default target in every folder.
    expect(await program.give(["send", "hello", "--wait"], { cwd: program.home })).toMatchObject({
      stdout: "Hello yourself.\n",
    });
    const { messages } = await program.ask<MessageList>("peek", "alice");
    expect(messages).toMatchObject([
      { sender: "user", recipients: ["alice"], private: true },
      { sender: "alice", content: "Hello yourself.", private: true },
    ]);
    expect((await program.ask<MessageList>("peek", "bob")).messages).toEqual([]);

    await program.give(["stop", "alice"]);
    const parked = await program.give(["send", "alice", "are you there?"]);
    expect(parked.stderr).toContain("agent-worker start alice");
    expect(await program.ask<AgentInfo>("status", "alice")).toMatchObject({ state: "stopped", inbox: { parked: 1 } });
    await program.give(["start", "alice"]);
    expect(await program.give(["send", "alice", "and now?", "--wait"])).toMatchObject({ stdout: "Hello yourself.\n" });
    expect(await program.ask<object>("inbox", "alice")).toEqual({ deliveries: [] });

    expect((await program.give(["ls"])).stdout).toStartWith("standalone agents\n");
    expect(await program.give(["rm", "alice"])).toMatchObject({ exitCode: 0, stdout: "removed alice\n" });
    expect((await program.give(["use"])).exitCode).toBe(2);
    expect((await program.give(["send", "alice", "hello"])).stderr).toContain("alice");
  });

  test.each([
    ["a script that is missing", ["--script", "nowhere.yaml"], "there is no file 'nowhere.yaml'"],
    ["a script that is not YAML", ["--script", "broken.yaml"], "broken.yaml:2:1: error:"],
    ["a script with a typo", ["--script", "slip.yaml"], "did you mean 'say'?"],
    ["two prompts", ["-s", "Be brief.", "-f", "broken.yaml"], "two system prompts"],
  ])("is not created from %s", async (_, more, message) => {
    await using program = await openProgram();
    program.write("broken.yaml", "- [\n");
    program.write("slip.yaml", "- - sya: Hello.\n");
    const { exitCode, stderr } = await program.give(["new", "alice", "-b", "mock", ...more]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(message) });
    expect(program.processes()).toEqual([]);
  });
});
