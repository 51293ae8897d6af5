import { describe, expect, test } from "bun:test";
import type { AgentInput } from "../../../protocol/definition/agent-definition.ts";
import type { WorkflowInput } from "../../../protocol/definition/definition.ts";
import { openSqliteStore } from "../../store/sqlite/sqlite-store.ts";
import type { Store } from "../../store/store.ts";
import { fillInBorrowed } from "./borrow.ts";

const alice: AgentInput = {
  backend: "mock",
  model: "small",
  system_prompt: "You are brief.",
  description: "Writes",
  timeout: "90s",
  retry: { backoff: "2s" },
  schedule: "1h",
  script: [[{ wait: "5ms" }, { say: "Done." }]],
};

async function openHome(agents: Record<string, AgentInput> = { alice }): Promise<Store & AsyncDisposable> {
  const store = openSqliteStore({ path: ":memory:", now: () => 1, random: Math.random });
  const opening = { tag: "main", project: "", dir: "", mode: "start" as const, fresh: false };
  const { instance } = await store.openRun({ ...opening, definition: { name: "global", agents: {} } });
  for (const [name, definition] of Object.entries(agents)) await store.addAgent(instance.id, name, definition, "/home");
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() });
}

const team = (agents: WorkflowInput["agents"]): WorkflowInput => ({ name: "team", agents });

describe("a borrowed agent", () => {
  test("is a copy of the standalone agent without its schedule", async () => {
    await using store = await openHome();
    const { schedule: _, ...lent } = alice;
    const filled = await fillInBorrowed(store, team({ helper: { ref: "Alice" }, own: { backend: "mock" } }));
    expect(filled.agents).toEqual({ helper: { ...lent, ref: "alice" }, own: { backend: "mock" } });
  });

  test("gets the additional prompt, description and schedule of the workflow", async () => {
    await using store = await openHome();
    const more = { description: "Helps", schedule: "5m" };
    const prompt = { append: "Focus on speed." };
    const { agents } = await fillInBorrowed(store, team({ helper: { ref: "alice", prompt, ...more } }));
    expect(agents.helper).toMatchObject({ system_prompt: "You are brief.\n\nFocus on speed.", ...more });
    expect(agents.helper).not.toHaveProperty("prompt");
  });

  test("without a prompt gets the appended prompt", async () => {
    await using store = await openHome({ bob: { backend: "mock" } });
    const { agents } = await fillInBorrowed(store, team({ helper: { ref: "bob", prompt: { append: "Be quick." } } }));
    expect(agents.helper).toEqual({ backend: "mock", ref: "bob", system_prompt: "Be quick." });
  });

  test("that does not exist is an error with its position and the existing agents, all in one", async () => {
    await using store = await openHome();
    const borrowed = team({ helper: { ref: "alcie" }, other: { ref: "zoe" }, third: { ref: "zoe" } });
    const error = await fillInBorrowed(store, borrowed).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "invalid-workflow",
      details: [
        {
          path: "agents.helper.ref",
          message: "no standalone agent named 'alcie'; available: alice",
          hint: "did you mean alice?",
        },
        { path: "agents.other.ref" },
        { path: "agents.third.ref" },
      ],
      actions: [{ do: "create-agent", name: "zoe" }],
    });
  });
});
