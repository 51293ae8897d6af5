/** The commands `pending`, `approve`, `deny` and `answer`, and approvals in an unattended `run`. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Approval } from "../../../src/protocol/approval.ts";
import type { ApprovalList } from "../../../src/protocol/http/approvals.ts";
import type { RunResult } from "../../../src/protocol/instance.ts";
import { launcher } from "../../fixtures/command.ts";
import { openProgram, type Program } from "../../fixtures/program.ts";

const agents = `
agents:
  pusher:
    backend: mock
    tools: [bash]
    approval: { bash: ask }
    script:
      - on: push
        do:
          - tool: { name: bash, args: { command: "echo pushed >> pushed; echo pushed" } }
          - say: "\${{ result }}"
      - on: foreign
        do:
          - tool: { name: permission_prompt, args: { tool_name: Deploy, input: { to: Oslo }, ask: true } }
          - say: "\${{ result }}"
      - on: which
        do:
          - tool: { name: ask_user, args: { question: "Which region?", options: [Oslo, Bergen] } }
          - say: "\${{ result }}"
`;

let program: Program;
beforeAll(async () => {
  program = await openProgram();
  program.write("desk.yaml", agents);
  program.write("once.yaml", `${agents}kickoff: "@pusher please push"\n`);
  await program.give(["start", "desk.yaml", "-d"]);
});
afterAll(() => program[Symbol.asyncDispose]());

/** Sends a message to the agent; resolves with its request and a promise of its answer. */
async function ask(text: string): Promise<{ answer: Promise<{ stdout: string }>; asked: Approval }> {
  const sending = program.start(["send", "pusher@desk", text, "--wait"]);
  // `send --wait` reports that the agent itself waits for an answer.
  await sending.says("asks");
  const answer = sending.ended;
  const { approvals } = await program.ask<ApprovalList>("pending");
  expect(approvals).toHaveLength(1);
  return { answer, asked: approvals[0]! };
}

test("`pending` shows the exact request, and `approve` lets the call run", async () => {
  const { answer, asked } = await ask("please push");
  const { stdout, stderr } = await program.give(["pending"]);
  expect(stdout).toContain(`? ${asked.id} pusher@desk asks to use bash`);
  expect(stdout).toContain('{"command":"echo pushed >> pushed; echo pushed"}');
  expect(stderr).toContain(`agent-worker approve ${asked.id}`);
  for (const command of ["ls", "status"]) {
    const line = command === "ls" ? ["ls"] : ["status", "pusher@desk"];
    expect((await program.give(line)).stdout).toContain(asked.id);
  }
  const approved = await program.give(["approve", asked.id]);
  expect(approved).toMatchObject({ exitCode: 0, stdout: `approved ${asked.id}: pusher@desk uses bash\n` });
  expect((await answer).stdout).toBe("pushed\n");
  expect((await program.give(["pending"])).stderr).toContain("nothing is waiting for you");
  const again = await program.give(["deny", asked.id]);
  expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining("already approved")]);
});

test("`approve --args` runs the call with the changed arguments", async () => {
  const changed = await ask("please push");
  const decided = await program.ask<Approval>("approve", changed.asked.id, "--args", '{"command":"echo dry"}');
  expect(decided).toMatchObject({ state: "approved", edited: { command: "echo dry" } });
  expect((await changed.answer).stdout).toBe("dry\n");
});

test("`approve --args` refuses arguments that do not fit the tool, and the call still waits", async () => {
  const { answer, asked } = await ask("please push");
  const refused = await program.give(["approve", asked.id, "--args", '{"comand":"echo dry"}']);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain("the arguments do not fit bash: 'command' is missing");
  expect(refused.stderr).toContain("did you mean 'command'?");
  expect((await program.ask<ApprovalList>("pending")).approvals).toMatchObject([{ id: asked.id, state: "waiting" }]);
  await program.give(["approve", asked.id, "--args", '{"command":"echo dry"}']);
  expect((await answer).stdout).toBe("dry\n");
});

test("`approve --args` warns if the tool's input schema is unknown", async () => {
  const { answer, asked } = await ask("something foreign");
  expect(asked).toMatchObject({ tool: "Deploy", inputSchema: null });
  const { stdout, stderr } = await program.give(["approve", asked.id, "--args", '{"to":"Bergen"}']);
  expect(stdout).toContain("uses Deploy, with other arguments");
  expect(stderr).toContain("the arguments were not checked: the schema of Deploy is unknown");
  expect((await answer).stdout).toContain("Bergen");
});

test("`deny --reason` passes the reason to the agent", async () => {
  const { answer, asked } = await ask("please push");
  expect((await program.give(["deny", asked.id, "--reason", "tests first"])).exitCode).toBe(0);
  expect((await answer).stdout).toContain("denied by the user: tests first");
});

test("`answer` accepts text or the number of an option; `approve` points to `answer` for a question", async () => {
  const { answer, asked } = await ask("which one?");
  const refused = await program.give(["approve", asked.id]);
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(`agent-worker answer ${asked.id}`)]);
  const given = await program.give(["answer", asked.id, "2"]);
  expect(given).toMatchObject({ exitCode: 0, stdout: "answered pusher@desk: Bergen\n" });
  expect((await answer).stdout).toBe("Bergen\n");
});

test("`run` without a terminal denies the request at once, shows it, and exits with 3", async () => {
  const { exitCode, stdout, stderr } = await program.give(["run", "once.yaml", "--tag", "pipe", "--json"]);
  const result: RunResult = JSON.parse(stdout);
  expect({ exitCode, status: result.status }).toEqual({ exitCode: 3, status: "blocked" });
  expect(stderr).toContain("asks to use bash");
  expect(stderr).toContain("bash denied: no person is available to answer");
});

test("`run` on a terminal waits and shows how to decide; with `--no-input` it does not wait", async () => {
  expect((await onTerminal("run", "once.yaml", "--tag", "seen")).exitCode).toBe(0);
  expect((await onTerminal("run", "once.yaml", "--tag", "unseen", "--no-input")).exitCode).toBe(3);
});

/** Runs a command on a terminal, and approves the request that it shows. */
async function onTerminal(...line: string[]): Promise<{ exitCode: number }> {
  let text = "";
  let decision: Promise<unknown> | undefined;
  const decoder = new TextDecoder();
  const child = Bun.spawn([launcher, ...line], {
    cwd: program.project,
    env: { ...program.env, TERM: "dumb" },
    terminal: {
      cols: 200,
      rows: 30,
      data: (_, bytes) => {
        text += decoder.decode(bytes, { stream: true });
        const id = /agent-worker approve (a\w{12})\b/.exec(text)?.[1];
        if (id !== undefined) decision ??= program.give(["approve", id]);
      },
    },
  });
  const exitCode = await child.exited;
  child.terminal?.close();
  await decision;
  return { exitCode };
}

test.each([
  [["approve"], "missing required argument", 2],
  [["approve", "a000000000000"], "no approval or question a000000000000", 2],
  [["approve", "a000000000000", "--args", "{"], "--args is not JSON", 2],
  [["approve", "a000000000000", "--args", "[]"], "must be a JSON object", 2],
  [["answer", "a000000000000"], "missing answer", 2],
  [["pending", "@nowhere"], "there is no workflow @nowhere", 2],
] as const)("%j is refused", async (line, message, code) => {
  const { exitCode, stderr } = await program.give([...line]);
  expect([exitCode, stderr]).toEqual([code, expect.stringContaining(message)]);
});
