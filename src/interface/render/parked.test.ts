import { expect, test } from "bun:test";
import { sampleAgent } from "../../../test/fixtures/agent.ts";
import type { AgentInfo, WorkflowInfo } from "../../protocol/instance.ts";
import { commandToResume } from "./parked.ts";

function workflow(mode: "run" | "start", coder: AgentInfo["state"]): WorkflowInfo {
  const agent = sampleAgent({ state: coder, inbox: { pending: 0, claimed: 0, dead: 0, parked: 1 } });
  return {
    id: "w1",
    name: "review",
    tag: "main",
    target: "@review",
    project: "/code",
    mode,
    state: "stopped",
    run: 1,
    messages: 1,
    startedAt: 0,
    endedAt: null,
    result: null,
    proposals: { active: 0, waitingForUser: 0 },
    elected: { documentOwner: null, coordinator: null },
    agents: [agent],
  };
}

test("a stopped agent is started", () => {
  expect(commandToResume(workflow("run", "stopped"), "coder", "stopped")).toBe("agent-worker start coder@review");
});

test("a started workflow that was stopped is started again", () => {
  expect(commandToResume(workflow("start", "idle"), "coder", "stopped")).toBe("agent-worker start @review");
});

test("a run that has ended is resumed, and so is work parked by a limit", () => {
  expect(commandToResume(workflow("run", "idle"), "coder", "not-running")).toBe("agent-worker resume @review");
  expect(commandToResume(workflow("start", "idle"), "coder", "limit")).toBe("agent-worker resume @review");
});
