/** The commands `export`, `clear` and `feedback`. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FeedbackList } from "../../../src/protocol/http/feedback.ts";
import type { Transcript } from "../../../src/protocol/http/history.ts";
import type { RunResult, WorkflowInfo } from "../../../src/protocol/instance.ts";
import { claimTurn, openTeam } from "../../fixtures/claimed-turn.ts";
import { connectMcp } from "../../fixtures/mcp-client.ts";
import { openTestDaemon } from "../../fixtures/open-daemon.ts";
import { openProgram, type Program } from "../../fixtures/program.ts";
import { askUser } from "../../fixtures/proposal.ts";

const team = `name: team
context: { provider: file }
agents:
  alice:
    backend: mock
    script:
      - - tool: { name: document_write, args: { content: "# Findings" } }
        - tool: { name: document_write, args: { file: mine.md, content: "draft" } }
        - tool: { name: channel_send, args: { message: "hush", to: [carol], private: true } }
        - tool: { name: feedback_submit, args: { kind: bug, target: document_write, text: "a diff would help" } }
        - say: "@bob see notes.md\\n# not a heading"
  bob: { backend: mock, script: [[{ say: "Seen \`\`\` it." }]] }
  carol: { backend: mock }
setup:
  - { shell: echo diff, as: diff }
kickoff: "@alice begin"
`;

async function openAfterRun(): Promise<Program> {
  const program = await openProgram();
  program.write("team.yaml", team);
  expect(await program.ask<RunResult>("run", "team.yaml")).toMatchObject({ status: "completed" });
  return program;
}

describe("export", () => {
  test("writes a Markdown transcript of the channel, the documents and the results", async () => {
    await using program = await openAfterRun();
    const { stdout, stderr, exitCode } = await program.give(["export", "@team"]);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout.match(/^#+ .*/gm)).toEqual([
      "# @team",
      "## Channel",
      expect.stringMatching(/^### #1 .* \[user\] → alice$/),
      expect.stringMatching(/^### #2 .* \[alice\] → carol \(private\)$/),
      expect.stringMatching(/^### #3 .* \[alice\] → .*bob/),
      expect.stringMatching(/^### #4 .* \[bob\] \(log\)$/),
      "## Documents",
      "## Results",
      "### output",
      "### diff",
    ]);
    expect(stdout).toContain("\n* notes.md: version 1, by alice, 10 bytes\n");
    expect(stdout).toContain("````\nSeen ``` it.\n````");
    expect(stdout).toContain("\\# not a heading");
  });

  test("is fetched from the daemon page by page", async () => {
    await using daemon = await openTestDaemon();
    const many = await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
    const words = { kind: "message" as const, mentions: [], all: false, private: false, urgent: false, sender: "user" };
    const early = await askUser(daemon, many);
    for (let n = 2; n <= 602; n++) await daemon.store.append(many, { ...words, content: `${n}`, to: [] });
    const late = await askUser(daemon, many);

    const page = await daemon.ask("GET", "/workflows/@team/export?after=500");
    const { messages, proposals, next }: Transcript = JSON.parse(page.text);
    expect([messages[0]?.seq, next]).toEqual([501, null]);
    expect(messages.map(({ content }) => content)).toContain("602");
    const first: Transcript = JSON.parse((await daemon.ask("GET", "/workflows/@team/export")).text);
    expect([first.messages.length, first.next]).toEqual([500, 500]);
    expect([first.proposals, proposals].map((asked) => asked.map(({ id }) => id))).toEqual([[early], [late]]);
  });

  test("writes the same as JSON, and for one agent only its messages", async () => {
    await using program = await openAfterRun();
    const whole = await program.ask<Transcript>("export", "@team");
    expect(whole).toMatchObject({
      workflow: { target: "@team" },
      documents: [{ file: "mine.md" }, { file: "notes.md" }],
    });
    expect(whole.messages.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    const one = await program.ask<Transcript>("export", "carol@team");
    expect(one.messages.map(({ content }) => content)).toEqual(["hush"]);
  });
});

test("a workflow whose project folder is gone can still be exported and cleared", async () => {
  await using daemon = await openTestDaemon();
  const project = join(daemon.project, "gone");
  mkdirSync(project);
  const script = [[{ tool: { name: "document_write", args: { content: "# Findings" } } }, { say: "done" }]];
  const definition = { name: "team", agents: { alice: { backend: "mock", script } }, kickoff: "@alice begin" };
  expect((await daemon.ask("POST", "/serve", { body: { definition, project } })).text).toContain("completed");
  rmSync(project, { recursive: true });
  const { text } = await daemon.ask("GET", "/workflows/@team/export");
  expect(JSON.parse(text)).toMatchObject({
    messages: [{ content: "@alice begin" }, { content: "done" }],
    documents: [{ file: "notes.md", author: "alice" }],
    trouble: `the project folder ${project} does not exist`,
  });
  expect(JSON.parse((await daemon.ask("POST", "/workflows/@team/clear", { body: {} })).text)).toMatchObject({
    messages: 2,
    workflow: { messages: 0 },
  });
});

describe("clear", () => {
  test("deletes messages and documents, but keeps the agents and files that a person edited", async () => {
    await using program = await openAfterRun();
    const folder = join(program.project, ".workflow/team/main");
    writeFileSync(join(folder, "documents/mine.md"), "edited");
    const asked = await program.give(["clear", "@team"]);
    expect(asked).toMatchObject({ exitCode: 2, stdout: "" });
    expect(asked.stderr).toContain("clear @team and delete 4 messages?");
    expect(asked.stderr).toContain("--yes");
    expect((await program.give(["clear", "@team", "--yes"])).stdout).toBe("cleared @team: 4 messages deleted\n");
    expect(await program.ask<WorkflowInfo>("status", "@team")).toMatchObject({
      messages: 0,
      agents: [{ name: "alice" }, { name: "bob" }, { name: "carol" }],
    });
    expect(existsSync(join(folder, "documents/notes.md"))).toBe(false);
    expect(readFileSync(join(folder, "documents/mine.md"), "utf8")).toBe("edited");
    expect(readFileSync(join(folder, "channel.md"), "utf8")).toBe("");
    rmSync(join(folder, "documents/mine.md"));
    expect(await program.ask<RunResult>("run", "team.yaml")).toMatchObject({ messages: 4 });
  });

  test("refuses a running workflow, a missing target, and a single agent", async () => {
    await using program = await openProgram();
    program.write("desk.yaml", "agents: { clerk: { backend: mock } }\n");
    await program.give(["start", "desk.yaml", "-d"]);
    for (const [line, words] of [
      [["clear", "@desk", "--yes"], "agent-worker stop @desk stops it"],
      [["clear", "--yes"], "missing target"],
      [["clear", "clerk@desk", "--yes"], "agent-worker clear @desk clears it for all"],
      [["clear", "alice", "-y"], "clear @global"],
      [["clear", "@nowhere", "-y"], "there is no workflow @nowhere"],
    ] as const) {
      const { exitCode, stderr } = await program.give([...line]);
      expect({ line, exitCode, told: stderr.includes(words) }).toEqual({ line, exitCode: 2, told: true });
    }
    await program.give(["stop", "@desk"]);
    expect(await program.ask("clear", "@desk", "--yes")).toMatchObject({ messages: 0, workflow: { state: "stopped" } });
  });
});

describe("feedback", () => {
  test("is accepted from agents and people, and listed", async () => {
    await using program = await openAfterRun();
    expect((await program.give(["feedback", "more", "colours", "--kind", "idea"])).stdout).toBe("saved\n");
    const { feedback } = await program.ask<FeedbackList>("feedback");
    expect(feedback).toMatchObject([
      { kind: "idea", target: "agent-worker", text: "more colours", author: "user", turn: null },
      {
        kind: "bug",
        target: "document_write",
        text: "a diff would help",
        author: "alice@team",
        project: program.project,
      },
    ]);
    expect((await program.give(["feedback", "-n", "1"])).stdout).toMatch(/idea\s+user\s+agent-worker\s+more colours/);
    const odd = await program.give(["feedback", "x", "--kind", "ideas"]);
    expect(odd).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("did you mean 'idea'?") });
  });

  test("that is empty or too long is refused with the reason", async () => {
    await using daemon = await openTestDaemon();
    const instance = await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
    const { token } = await claimTurn(daemon.store, instance, "alice");
    await using client = await connectMcp(daemon.url, token);
    for (const wrong of [{ text: " " }, { text: "x".repeat(10_001) }, { kind: "rant" }, { target: "" }]) {
      const given = { kind: "bug", target: "bash", text: "slow", ...wrong };
      expect([wrong, (await client.call("feedback_submit", given)).ok]).toEqual([wrong, false]);
      expect((await daemon.ask("POST", "/feedback", { body: given })).status).toBe(400);
    }
    expect(await client.call("feedback_submit", { kind: "bug", target: "bash", text: "slow" })).toMatchObject({
      ok: true,
      text: "Noted, thank you.",
    });
    expect((await daemon.store.feedback(10)).length).toBe(1);
  });
});
