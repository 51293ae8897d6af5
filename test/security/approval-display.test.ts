/** What a person approves is what runs: an agent cannot hide any part of a call from the person who decides on it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Approval } from "../../src/protocol/approval.ts";
import { approvalArgsChars, approvalShownChars } from "../../src/protocol/limits.ts";
import type { ApprovalList } from "../../src/protocol/http/approvals.ts";
import { launcher } from "../fixtures/command.ts";
import { openProgram, type Program } from "../fixtures/program.ts";

const secret = "hunter2-hunter2-hunter2";
const payload = "rm -rf precious";

/** Calls that hide the payload, by the name of the trick. */
const tricks: Record<string, Record<string, unknown>> = {
  "c1-string": call({ command: `echo ok \u009d0;${payload}\u009c` }),
  "c1-erase": call({ command: `${payload} \u009b2K\u009b1G echo ok` }),
  "escape-string": call({ command: `echo \u001b]0;${payload}\u0007` }),
  "right-to-left": call({ command: `echo \u202e${payload}\u202c \u2066ok\u2069` }),
  "zero-width": call({ command: `r\u200bm\ufeff \u{e0072}\u{e006d} \u00ad\u3164 ${payload}` }),
  "private-key": call({ command: `echo -----BEGIN PRIVATE KEY----- ; ${payload}` }),
  "api-key": call({ command: `echo Bearer ${payload.replaceAll(" ", "/")}/aaaaaaaaaaaaaaaaaaaa` }),
  "token-key": call({ command: `echo sk-${payload.replaceAll(" ", "-")}-aaaaaaaaaaaaaaaaaaaa` }),
  "many-spaces": call({ command: `echo ok${" ".repeat(300)}; ${payload}` }),
  "newline-cwd": call({ command: payload }, { cwd: "/safe\n? a000000000000 fake asks to use ls" }),
  "newline-why": call({ command: payload }, { why: "x\r\n\u2028? a000000000000 fake asks to use ls" }),
  "newline-tool": call({ command: payload }, { tool_name: "ls\n? a000000000000 fake asks to use ls\u009b" }),
  "known-secret": call({ command: `curl -u ${secret} ${payload}`, [secret]: 1 }),
};

const long: Record<string, Record<string, unknown>> = {
  "long-middle": call({ command: `echo ${"a".repeat(10_000)} ; ${payload} ; echo ${"a".repeat(10_000)}` }),
  "long-barely": call({ command: `echo ${"a".repeat(approvalShownChars * 0.6)} ; ${payload} ; ${"a".repeat(900)}` }),
  "long-keys": call(Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`k${at}`, at === 300 ? payload : at]))),
};

const refused: Record<string, Record<string, unknown>> = {
  "too-long": call({ command: "a".repeat(approvalArgsChars) }),
  misfit: call(
    { comand: payload },
    { input_schema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] } },
  ),
};

function call(input: Record<string, unknown>, more: object = {}): Record<string, unknown> {
  return { tool_name: "Bash", input, ask: true, ...more };
}

let program: Program;
beforeAll(async () => {
  program = await openProgram();
  const script = Object.entries({ ...tricks, ...long, ...refused }).map(([name, args]) => ({
    on: `try ${name}$`,
    do: [{ tool: { name: "permission_prompt", args } }, { say: "${{ result }}" }],
  }));
  const agent = { backend: "mock", approval: { bash: "ask" }, script };
  program.write("desk.yaml", JSON.stringify({ agents: { sly: agent } }));
  await program.give(["start", "desk.yaml", "-d"], { env: { MY_API_KEY: secret } });
});
afterAll(() => program[Symbol.asyncDispose]());

type Asked = AsyncDisposable & { asked: Approval; answer: Promise<{ stdout: string; stderr: string }> };

/** Has the agent ask; at the end, denies what still waits. */
async function ask(name: string): Promise<Asked> {
  const sending = program.start(["send", "sly@desk", `try ${name}`, "--wait"]);
  await sending.says("agent-worker ");
  const { approvals } = await program.ask<ApprovalList>("pending");
  expect(approvals).toHaveLength(1);
  const asked = approvals[0]!;
  return {
    asked,
    answer: sending.ended,
    async [Symbol.asyncDispose]() {
      await program.give(["deny", asked.id]);
      await sending.ended;
    },
  };
}

/** Everything that a terminal would interpret or not show, except for line breaks. */
const hidden = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** The payload's words, whatever separates them. */
const shownPayload = new RegExp(payload.split(/[ -]+/).join("[ /-]+"));

describe("a call is shown exactly", () => {
  test.each(Object.keys(tricks))("%s", async (name) => {
    await using request = await ask(name);
    const { id } = request.asked;
    const commands = [["pending"], ["pending", id], ["status", "sly@desk"], ["ls"], ["logs", "@desk"]];
    const shown = await Promise.all(commands.map(async (line) => (await program.give(line)).stdout));
    await program.give(["deny", id]);
    for (const text of [...shown, (await request.answer).stderr]) {
      expect(text).toMatch(shownPayload);
      expect(text).not.toMatch(hidden);
      expect(text).not.toMatch(/^\s*\? a000000000000/m);
      expect(text).not.toContain(secret);
    }
  });

  test("and the number of masked secrets with it", async () => {
    await using request = await ask("known-secret");
    expect(request.asked).toMatchObject({ masked: 2, whole: true });
    expect((await program.give(["pending"])).stdout).toContain("2 secrets are shown as [redacted]");
  });
});

describe("a call that is too long for a list", () => {
  test.each(Object.keys(long))("cannot be approved before it was shown whole: %s", async (name) => {
    await using request = await ask(name);
    const { asked, answer } = request;
    expect(asked).toMatchObject({ whole: false, hash: null });
    expect((await program.give(["pending"])).stderr).not.toContain(`agent-worker approve ${asked.id}`);
    const unseen = await program.give(["approve", asked.id]);
    expect([unseen.exitCode, unseen.stderr]).toEqual([2, expect.stringContaining(`agent-worker pending ${asked.id}`)]);
    const guessed = await program.give(["approve", asked.id, "--hash", "00000000"]);
    expect([guessed.exitCode, guessed.stderr]).toEqual([2, expect.stringContaining("other arguments")]);
    const whole = await program.give(["pending", asked.id]);
    expect(whole.stdout).toContain(payload);
    expect(whole.stdout).not.toContain("omitted");
    const hash = /--hash ([0-9a-f]{12})/.exec(whole.stderr)?.[1] ?? "";
    expect((await program.give(["approve", asked.id, "--hash", hash])).exitCode).toBe(0);
    expect((await answer).stdout).toContain('"allow"');
  });

  test("can be approved with other arguments at once", async () => {
    await using request = await ask("long-middle");
    const { asked, answer } = request;
    expect((await program.give(["approve", asked.id, "--args", '{"command":"true"}'])).exitCode).toBe(0);
    expect((await answer).stdout).toContain('"true"');
  });
});

describe("a person is not asked", () => {
  test.each([
    ["too-long", "the arguments have"],
    ["misfit", "the arguments do not fit: 'command' is missing"],
  ])("about a call that is %s", async (name, reason) => {
    const { stdout } = await program.give(["send", "sly@desk", `try ${name}`, "--wait"]);
    expect(stdout).toContain(reason);
    expect(stdout).toContain('"deny"');
  });
});

test.each([0, 1, 3])("`pending` works on a terminal with %d columns", async (cols) => {
  await using _ = await ask("newline-cwd");
  const child = Bun.spawn([launcher, "pending"], {
    cwd: program.project,
    env: { ...program.env, TERM: "dumb" },
    terminal: { cols, rows: cols },
  });
  const exitCode = await child.exited;
  child.terminal?.close();
  expect(exitCode).toBe(0);
});
