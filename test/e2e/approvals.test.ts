/** Approvals and questions, with a real daemon, real workers and the HTTP API. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { Approval } from "../../src/protocol/approval.ts";
import type { AgentInput } from "../../src/protocol/definition/agent-definition.ts";
import type { MockStep as AnyStep } from "../../src/protocol/definition/mock-script.ts";
import type { WorkflowInput } from "../../src/protocol/definition/definition.ts";
import type { Event, EventOf, EventType } from "../../src/protocol/event.ts";
import { ApprovalList } from "../../src/protocol/http/approvals.ts";
import { RunResult } from "../../src/protocol/instance.ts";
import { type OpenDaemon, openTestDaemon } from "../fixtures/open-daemon.ts";

type MockStep = z.input<typeof AnyStep>;

const push = { command: "echo pushed > out.txt; echo done" };

/** An agent that runs one turn, and asks before it uses `bash`. */
function asking(steps: MockStep[], more: Partial<AgentInput> = {}): AgentInput {
  return { backend: "mock", tools: ["bash"], approval: { bash: "ask" }, script: [steps], ...more };
}

function bash(args: Record<string, unknown> = push): MockStep {
  return { tool: { name: "bash", args } };
}

function teamOf(agents: Record<string, AgentInput>, kickoff: string): WorkflowInput {
  return { name: "team", agents, kickoff };
}

/** Runs a team; `decide` gets each event as it arrives. */
async function run(
  daemon: OpenDaemon,
  definition: WorkflowInput,
  decide: (event: Event) => Promise<unknown> | undefined = () => undefined,
  attended = true,
): Promise<{ result: RunResult; events: Event[] }> {
  const events: Event[] = [];
  const body = { definition, project: daemon.project, attended };
  for await (const event of daemon.events("/run", { method: "POST", body, signal: AbortSignal.timeout(20_000) })) {
    events.push(event);
    await decide(event);
  }
  return { result: RunResult.parse(of(events, "workflow-end")[0]?.data), events };
}

function of<Type extends EventType>(events: Event[], type: Type): EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type);
}

/** Gives the same decision to every request. */
function deciding(daemon: OpenDaemon, body: object): (event: Event) => Promise<unknown> | undefined {
  return (event) =>
    event.type === "approval-ask"
      ? daemon.call("POST", `/approvals/${event.data.approval}`, Approval, { body })
      : undefined;
}

test("a call that needs approval waits, shows its exact arguments, and runs once it is approved", async () => {
  await using daemon = await openTestDaemon();
  const definition = teamOf({ a: asking([bash(), { say: "I got: ${{ result }}" }]) }, "@a go");
  const seen: Approval[] = [];
  const { result, events } = await run(daemon, definition, async (event) => {
    if (event.type !== "approval-ask") return;
    expect(existsSync(join(daemon.project, "out.txt"))).toBe(false);
    const { approvals } = await daemon.call("GET", "/approvals?target=a@team", ApprovalList);
    seen.push(...approvals);
    await deciding(daemon, { decision: "approve", reason: "fine" })(event);
  });
  expect(seen).toMatchObject([
    {
      target: "a@team",
      tool: "bash",
      args: JSON.stringify(push),
      cwd: daemon.project,
      why: "user wrote: @a go",
      state: "waiting",
    },
  ]);
  expect(result).toMatchObject({ status: "completed", exitCode: 0, output: "I got: done" });
  expect(readFileSync(join(daemon.project, "out.txt"), "utf8")).toBe("pushed\n");
  expect(of(events, "approval-decide")).toMatchObject([{ data: { state: "approved", by: "user", edited: false } }]);
  expect((await daemon.call("GET", "/approvals", ApprovalList)).approvals).toEqual([]);
});

test("the tool gets the arguments that a person changed", async () => {
  await using daemon = await openTestDaemon();
  const definition = teamOf({ a: asking([bash(), { say: "${{ result }}" }]) }, "@a go");
  const args = { command: "echo 'a dry run'" };
  const { result, events } = await run(daemon, definition, deciding(daemon, { decision: "approve", args }));
  expect(result.output).toBe("a dry run");
  expect(existsSync(join(daemon.project, "out.txt"))).toBe(false);
  const id = of(events, "approval-ask")[0]?.data.approval;
  const { approvals } = await daemon.call("GET", "/approvals?state=approved", ApprovalList);
  expect(approvals).toMatchObject([{ id, edited: args }]);
  expect(approvals[0]?.approvedHash).not.toBe(approvals[0]?.hash);
});

test("a denial reaches the agent with its reason, and does not fail the turn", async () => {
  await using daemon = await openTestDaemon();
  const definition = teamOf({ a: asking([bash(), { say: "${{ result }}" }]) }, "@a go");
  const { result } = await run(daemon, definition, deciding(daemon, { decision: "deny", reason: "not today" }));
  expect(result).toMatchObject({ status: "completed", exitCode: 0 });
  expect(result.output).toStartWith("bash was denied by the user: not today.");
  expect(existsSync(join(daemon.project, "out.txt"))).toBe(false);
});

test("the first decision counts; later ones are refused", async () => {
  await using daemon = await openTestDaemon();
  const definition = teamOf({ a: asking([bash()]) }, "@a go");
  await run(daemon, definition, async (event) => {
    if (event.type !== "approval-ask") return;
    const bodies = [{ decision: "deny" }, { decision: "approve" }, { decision: "deny" }];
    const answers = await Promise.all(
      bodies.map((body) => daemon.ask("POST", `/approvals/${event.data.approval}`, { body })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(answers.find(({ error }) => error)?.error?.message).toContain("already");
  });
});

test("a request without a decision is denied at its deadline, and the run reports it", async () => {
  await using daemon = await openTestDaemon();
  const agent = asking([bash(), { say: "${{ result }}" }], { approval_timeout: "100ms" });
  const { result, events } = await run(daemon, teamOf({ a: agent }, "@a go"));
  expect(result).toMatchObject({ status: "blocked", exitCode: 3 });
  expect(result.output).toContain("no decision within 0.1 s");
  expect(of(events, "approval-decide")).toMatchObject([{ data: { state: "denied", by: "deadline" } }]);
});

test("an unattended run denies requests at once and exits with 3", async () => {
  await using daemon = await openTestDaemon();
  const steps: MockStep[] = [
    bash(),
    { tool: { name: "ask_user", args: { question: "May I?" } } },
    { expect: "no person is available" },
    { say: "Went on." },
  ];
  const { result, events } = await run(daemon, teamOf({ a: asking(steps) }, "@a go"), undefined, false);
  expect(result).toMatchObject({ status: "blocked", exitCode: 3, output: "Went on.", dead: 0 });
  expect(result.reason).toBe("2 requests were denied because no person answered");
  expect(of(events, "approval-decide").map(({ data }) => data.by)).toEqual(["nobody", "nobody"]);
});

test("while a turn waits for a person, its timeouts are paused and another agent can use its slot", async () => {
  await using daemon = await openTestDaemon();
  const definition: WorkflowInput = {
    ...teamOf(
      {
        a: asking([bash(), { say: "a is done" }], { timeout: "6s", idle_timeout: "6s", retry: { attempts: 1 } }),
        b: { backend: "mock", script: [[{ wait: "6500ms" }, { say: "b is done" }]] },
      },
      "@a and @b go",
    ),
    limits: { concurrency: 1 },
  };
  let asked = "";
  const { result, events } = await run(daemon, definition, async (event) => {
    if (event.type === "approval-ask") asked = event.data.approval;
    const isDecidable = event.type === "turn-end" && event.agent === "b";
    if (isDecidable) await daemon.ask("POST", `/approvals/${asked}`, { body: { decision: "approve" } });
  });
  expect(result).toMatchObject({ status: "completed", turns: 2 });
  expect(of(events, "turn-start").map(({ agent }) => agent)).toEqual(["a", "b"]);
  expect(of(events, "turn-end").map(({ agent }) => agent)).toEqual(["b", "a"]);
}, 30_000);

test("a question waits for its answer, which can be the number of an option", async () => {
  await using daemon = await openTestDaemon();
  const steps: MockStep[] = [
    { tool: { name: "ask_user", args: { question: "Which region?", options: ["Frankfurt", "Oslo"] } } },
    { say: "It is ${{ result }}." },
  ];
  const agent: AgentInput = { backend: "mock", script: [steps] };
  const { result, events } = await run(daemon, teamOf({ a: agent }, "@a go"), async (event) => {
    if (event.type !== "approval-ask") return;
    const refused = await daemon.ask("POST", `/approvals/${event.data.approval}`, { body: { decision: "approve" } });
    expect(refused.error?.message).toContain("is a question");
    await deciding(daemon, { decision: "approve", answer: "2" })(event);
  });
  expect(of(events, "approval-ask")).toMatchObject([{ data: { question: "Which region?", kind: "question" } }]);
  expect(result).toMatchObject({ exitCode: 0, output: "It is Oslo." });
});

test("the approval policy applies to each call: denied and automatic calls do not ask a person", async () => {
  await using daemon = await openTestDaemon();
  const approval = { bash: "ask", "bash(echo *)": "auto", "bash(rm *)": "deny" } as const;
  const steps: MockStep[] = [
    bash({ command: "echo fine" }),
    { expect: "^fine$" },
    bash({ command: "rm -rf ." }),
    { expect: "is denied: this agent's approval policy" },
    { say: "Done." },
  ];
  const { result, events } = await run(daemon, teamOf({ a: asking(steps, { approval }) }, "@a go"));
  expect(result).toMatchObject({ exitCode: 0, output: "Done." });
  expect(of(events, "approval-ask")).toEqual([]);
});

test("secrets of the caller are neither shown nor stored, and edited arguments must not contain [redacted]", async () => {
  await using daemon = await openTestDaemon();
  const secret = "hunter2-hunter2-hunter2";
  // The length shows that the tool got the real secret.
  const count = (text: string) => `printf %s ${text} | wc -c`;
  const definition = teamOf({ a: asking([bash({ command: count(secret) }), { say: "${{ result }}" }]) }, "@a go");
  const events: Event[] = [];
  const body = { definition, project: daemon.project, attended: true, env: { MY_API_KEY: secret } };
  for await (const event of daemon.events("/run", { method: "POST", body })) {
    events.push(event);
    if (event.type !== "approval-ask") continue;
    expect(event.data.args).toBe(JSON.stringify({ command: count("[redacted]") }));
    const args = JSON.parse(event.data.args);
    const edited = await daemon.ask("POST", `/approvals/${event.data.approval}`, {
      body: { decision: "approve", args },
    });
    expect(edited.error).toMatchObject({ code: "usage", message: expect.stringContaining("[redacted]") });
    await deciding(daemon, { decision: "approve" })(event);
  }
  expect(of(events, "workflow-end")[0]?.data.output?.trim()).toBe(String(secret.length));
});

test("stopping a run cancels its requests", async () => {
  await using daemon = await openTestDaemon();
  const definition = teamOf({ a: asking([bash()]) }, "@a go");
  const { result, events } = await run(daemon, definition, async (event) => {
    if (event.type === "approval-ask") await daemon.ask("DELETE", "/workflows/@team");
  });
  expect(result).toMatchObject({ status: "stopped", exitCode: 130 });
  expect(of(events, "approval-decide")).toMatchObject([{ data: { state: "cancelled", by: "turn" } }]);
  expect((await daemon.call("GET", "/approvals", ApprovalList)).approvals).toEqual([]);
});
