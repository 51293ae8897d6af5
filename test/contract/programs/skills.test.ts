/** Which skills programs list to their models: by default, with `skills: false`, and with an approval policy for skills. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { claude } from "../backends/setups/claude.ts";
import { codex } from "../backends/setups/codex.ts";
import { openStage, type Stage } from "../backends/stage.ts";
import type { AgentInput } from "../../../src/protocol/definition/agent-definition.ts";

function writeSkill(folder: string, name: string): void {
  mkdirSync(join(folder, name), { recursive: true });
  const text = `---\nname: ${name}\ndescription: Knows all about ${name}.\n---\nBody of ${name}.\n`;
  writeFileSync(join(folder, name, "SKILL.md"), text);
}

/** Everything the model received in a turn, with one skill in each standard folder. */
async function toldOf(stage: Stage, agent: Partial<AgentInput>): Promise<string> {
  writeSkill(join(stage.folder, ".agents/skills"), "clover");
  writeSkill(join(stage.folder, ".claude/skills"), "burrow");
  writeSkill(join(stage.home, ".agents/skills"), "whistle");
  writeSkill(join(stage.home, ".claude/skills"), "winter");
  const { outcome } = await stage.play(agent);
  expect(outcome).toMatchObject({ status: "succeeded" });
  return stage.api.requests.map(({ body }) => JSON.stringify(body)).join("\n");
}

const timesIn = (told: string) =>
  ["clover", "burrow", "whistle", "winter"].map((name) => told.split(`Knows all about ${name}.`).length - 1);
const ours = "load with the tool skill";

describe.each([claude, codex].map((setup) => [setup.name, setup] as const))("skills in %s", (_, setup) => {
  const check = test.skipIf(setup.unavailable !== undefined);

  check("from all standard folders are listed once", async () => {
    await using stage = await openStage(setup);
    const told = await toldOf(stage, {});
    expect(timesIn(told)).toEqual([1, 1, 1, 1]);
    expect(told).not.toContain(ours);
  });

  check("are not listed with skills: false", async () => {
    await using stage = await openStage(setup);
    expect(await toldOf(stage, { skills: false })).not.toContain("Knows all about");
  });

  check("are listed only by agent-worker if the approval policy covers them", async () => {
    await using stage = await openStage(setup);
    const told = await toldOf(stage, { approval: { skill: "ask" } });
    expect(told).toContain(ours);
    expect(timesIn(told)).toEqual([1, 1, 1, 1]);
  });
});

test.skipIf(codex.unavailable !== undefined)(
  "commands that Codex runs see the user's HOME, and its temporary home is removed",
  async () => {
    await using stage = await openStage(codex);
    writeSkill(join(stage.folder, "lore"), "clover");
    const args = { cmd: `echo "$HOME" > ${join(stage.folder, "home")}` };
    stage.api.rules = [
      { offers: "channel_send", steps: [{ calls: [{ tool: "exec_command", args }] }, { text: "Done." }] },
    ];
    // Its sandbox does not work in every container.
    const command = [...(codex.agent(stage).command ?? []), "--dangerously-bypass-approvals-and-sandbox"];
    const { outcome } = await stage.play({ command, skills: [join(stage.folder, "lore")], tools: ["bash"] });
    expect(outcome).toMatchObject({ status: "succeeded" });
    expect(JSON.stringify(stage.api.requests[0]?.body)).toContain("Knows all about clover.");
    expect(readFileSync(join(stage.folder, "home"), "utf8").trim()).toBe(stage.home);
    expect(readdirSync(join(stage.env["AGENT_WORKER_HOME"] ?? "", "homes"))).toEqual([]);
  },
);
