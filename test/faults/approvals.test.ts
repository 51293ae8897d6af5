/** The daemon dies while a person is asked: nothing is decided for a turn that has ended, and the next attempt asks again. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Approval } from "../../src/protocol/approval.ts";
import type { WorkflowInput } from "../../src/protocol/definition/definition.ts";
import { ApprovalList } from "../../src/protocol/http/approvals.ts";
import { startDaemon } from "../fixtures/daemon.ts";
import { childrenOf, createPlace, kill } from "../fixtures/place.ts";

/** A crash and a start take a while on a busy machine. */
const patienceMs = 30_000;

const team: WorkflowInput = {
  name: "team",
  agents: {
    alice: {
      backend: "mock",
      tools: ["bash"],
      approval: { bash: "ask" },
      script: [[{ tool: { name: "bash", args: { command: "echo made >> log; echo ok" } } }, { say: "${{ result }}" }]],
    },
  },
  kickoff: "@alice make it",
};

test(
  "a daemon killed while one waits: the old one is cancelled, the turn runs again and asks again",
  async () => {
    await using place = await createPlace();
    const daemon = await startDaemon(place);
    await daemon.start(team);
    const [first] = await daemon.until("approval-ask");
    const old = first!.data.approval;
    await daemon.crash();

    const next = await startDaemon(place);
    const [second] = await next.until("approval-ask", ({ data }) => data.approval !== old);
    expect(second).toMatchObject({ turn: first!.turn, agent: "alice" });
    expect(await next.until("approval-decide")).toMatchObject([
      { data: { approval: old, state: "cancelled", by: "turn" } },
    ]);
    const { approvals } = await next.call("GET", "/approvals", ApprovalList);
    expect(approvals.map(({ id }) => id)).toEqual([second!.data.approval]);
    const refused = await next.fetch("POST", `/approvals/${old}`, { decision: "approve" });
    expect(refused.status).toBe(409);
    expect(existsSync(join(place.project, "log"))).toBe(false);

    await next.call("POST", `/approvals/${second!.data.approval}`, Approval, { decision: "approve" });
    const [end] = await next.until("turn-end", ({ data }) => data.status === "succeeded");
    expect(end!.data.text).toBe("ok");
    await next.shutDown();
  },
  patienceMs,
);

test(
  "a clean shutdown does the same, without counting an attempt",
  async () => {
    await using place = await createPlace();
    const daemon = await startDaemon(place);
    await daemon.start(team);
    const [first] = await daemon.until("approval-ask");
    expect(await daemon.shutDown()).toBe(0);
    const next = await startDaemon(place);
    await next.until("approval-ask", ({ data }) => data.approval !== first!.data.approval);
    const [delivery] = await next.inbox("alice@team");
    expect(delivery).toMatchObject({ state: "claimed", attempts: 0 });
    await next.shutDown();
  },
  patienceMs,
);

test(
  "a worker that dies while it waits is retried, and asks again",
  async () => {
    await using place = await createPlace();
    const daemon = await startDaemon(place);
    const { agents, ...rest } = team;
    await daemon.start({ ...rest, agents: { alice: { ...agents["alice"], retry: { backoff: "10ms" } } } });
    const [first] = await daemon.until("approval-ask");
    for (const pid of childrenOf(daemon.pid)) kill(pid);
    const [decided] = await daemon.until("approval-decide");
    expect(decided!.data).toMatchObject({ approval: first!.data.approval, state: "cancelled" });
    await daemon.until("approval-ask", ({ data }) => data.approval !== first!.data.approval);
    await daemon.shutDown();
  },
  patienceMs,
);
