/**
 * The workflows of the design documents, run as written: with `backend: mock` and a script added to each agent, their
 * prompt files supplied, and outside programs stubbed on the path. Left out are those that need what is not here yet:
 * document ownership, proposals and schedules.
 */
import { describe, expect, test } from "bun:test";
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { MessageList } from "../../src/protocol/http.ts";
import type { RunResult } from "../../src/protocol/instance.ts";
import { openProgram, type Program } from "../fixtures/program.ts";

type Scripts = Record<string, unknown[][]>;

const handOver = (message: string) => ({ tool: { name: "channel_send", args: { message } } });

/** Adds the mock to each agent of a file, whose text is otherwise untouched. */
function withMocks(text: string, scripts: Scripts): string {
  return text.replace(/^ {2}([\w-]+):\n(?= {4}model:)/gm, (line, name) => {
    return `${line}    backend: mock\n    script: ${JSON.stringify(scripts[name] ?? [])}\n`;
  });
}

/** Fragments of the documents that have tasks only: the agents they name. */
function teamOf(scripts: Scripts): string {
  const agents = Object.entries(scripts).map(
    ([name, script]) => `  ${name}: { backend: mock, script: ${JSON.stringify(script)} }`,
  );
  return `agents:\n${agents.join("\n")}\n`;
}

const diff = '- "old" $(touch canary)\n+ @coder @reviewer `new`';

/** The program, with `gh` and `git` that answer what they are asked. */
async function openStubbed(): Promise<Program & { env: Record<string, string> }> {
  const program = await openProgram();
  for (const [name, answer] of Object.entries({
    gh: `case "$*" in "pr diff") cat "$0.diff";; "pr view --json title,body,files") echo '{"title":"Faster","files":[]}';; *) exit 9;; esac`,
    git: `case "$*" in "diff --cached" | diff) cat "$0.diff";; *) exit 9;; esac`,
  })) {
    const path = program.write(`bin/${name}`, `#!/bin/sh\n${answer}\n`);
    program.write(`bin/${name}.diff`, `${diff}\n`);
    chmodSync(path, 0o755);
  }
  for (const name of ["reviewer.md", "coder.md", "coordinator.md", "reviewer.txt"]) {
    program.write(`prompts/${name}`, `You are the ${name.split(".")[0]} of \${{ workflow.name }}.\n`);
  }
  program.env.PATH = `${join(program.project, "bin")}:${program.env.PATH}`;
  return program;
}

async function run(program: Program, text: string): Promise<RunResult> {
  program.write("review.yaml", text);
  return await program.ask<RunResult>("run", "review.yaml");
}

const basic = `# review.yaml
name: code-review

# Context is enabled by default - no config needed

agents:
  reviewer:
    model: anthropic/claude-sonnet-4-5
    system_prompt: prompts/reviewer.md

  coder:
    model: anthropic/claude-sonnet-4-5
    system_prompt: prompts/coder.md

# Optional: shell commands for setup
setup:
  - shell: gh pr diff
    as: diff

# Kickoff message - triggers workflow via @mention
kickoff: |
  PR diff:
  \${{ diff }}

  @reviewer please review these changes.
  When issues found, @coder to fix them.
`;

const simple = (context: string) => `name: review
${context}
agents:
  reviewer:
    model: anthropic/claude-sonnet-4-5
    system_prompt: |
      You review code for quality and issues.
      Use the channel tool to communicate.
      Use the document tool to record findings.

setup:
  - shell: gh pr diff
    as: diff

kickoff: |
  Please review this PR:

  \${{ diff }}

  @reviewer
`;

describe("teams with a kickoff", () => {
  test("the basic structure: reviewer and coder on a pull request", async () => {
    await using program = await openStubbed();
    const result = await run(
      program,
      withMocks(basic, {
        reviewer: [[{ expect: "touch canary" }, handOver("@coder line 1"), { say: "Reviewed." }]],
        coder: [
          [{ expect: "PR diff" }, { say: "Noted." }],
          [{ expect: "line 1" }, { say: "Fixed." }],
        ],
      }),
    );
    expect(result).toMatchObject({ status: "completed", exitCode: 0, results: { diff } });
    const [kickoff] = (await program.ask<MessageList>("peek", "@code-review")).messages;
    expect(kickoff).toMatchObject({ sender: "user", recipients: ["reviewer", "coder"] });
    expect(kickoff?.content).toContain(diff);
  });

  test.each([["context:\n"], [""]])("the simple review, with %j", async (context) => {
    await using program = await openStubbed();
    const script = [[{ expect: "new" }, { say: "Looks good." }]];
    expect(await run(program, withMocks(simple(context), { reviewer: script }))).toMatchObject({
      status: "completed",
      output: "Looks good.",
    });
  });

  test("collaboration: a coordinator sends two others to work", async () => {
    await using program = await openStubbed();
    const agents = ["coordinator", "reviewer", "coder"].map(
      (name) => `  ${name}:\n    model: anthropic/claude-sonnet-4-5\n    system_prompt: prompts/${name}.md\n`,
    );
    const text = `name: code-review
context:

agents:
${agents.join("\n")}
setup:
  - shell: gh pr view --json title,body,files
    as: pr_info

kickoff: |
  New PR to review:
  \${{ pr_info }}

  @coordinator please orchestrate the review.
  - Use @reviewer for code review
  - Use @coder for any fixes needed
`;
    const result = await run(
      program,
      withMocks(text, {
        coordinator: [[{ expect: "Faster" }, handOver("@reviewer @coder begin"), { say: "Begun." }]],
      }),
    );
    expect(result).toMatchObject({ status: "completed", results: { pr_info: '{"title":"Faster","files":[]}' } });
  });

  test("reserved variables", async () => {
    await using program = await openStubbed();
    const text = `${teamOf({ reviewer: [[{ say: "${{ inbox }}" }]] })}setup:
  - shell: gh pr diff
    as: diff

kickoff: |
  \${{ diff }}           # Setup output
  \${{ env.API_KEY }}    # Environment variable
  \${{ workflow.name }}  # Workflow metadata
  \${{ workflow.instance }} \${{ context.channel }} \${{ context.document }}
`;
    program.env.API_KEY = "no secret";
    const { output } = await run(program, text);
    const folder = join(program.project, ".workflow/review/main");
    for (const part of ["no secret", "review  # Workflow", `main ${folder}/channel.md ${folder}/documents/notes.md`]) {
      expect(output).toContain(part);
    }
  });
});

const sideBySide = (indent: string) =>
  `- send: "Security review based on \${{ review }}"
  to: security-reviewer
  as: security
- send: "Performance review based on \${{ review }}"
  to: perf-reviewer
  as: perf`.replace(/^/gm, indent);

describe("sequences of tasks", () => {
  test("the basic structure: review, then a changeset on disk", async () => {
    await using program = await openStubbed();
    // As written but for `search_code`, `max_tokens` and `max_steps`, which come with the backends that heed them.
    const text = `# review.yml
name: review  # Optional, defaults to filename without extension

agents:
  reviewer:
    model: anthropic/claude-sonnet-4-5
    system_prompt: ./prompts/reviewer.txt  # String or file path
    tools:
      - read_file

  generator:
    model: anthropic/claude-sonnet-4-5
    system_prompt: |
      You generate changesets in the standard format.
      Be concise and accurate.

tasks:
  - shell: git diff --cached
    as: diff

  - send: |
      Review these changes:
      \${{ diff }}
    to: reviewer
    as: review

  - send: |
      Generate changeset based on:
      \${{ review }}
    to: generator
    as: changeset

  - shell: |
      mkdir -p .changeset
      echo "\${{ changeset }}" > .changeset/auto-$(date +%s).md
`;
    const changeset = 'patch: "quotes" $(touch canary)\n`ticks`';
    const result = await run(
      program,
      withMocks(text, {
        reviewer: [[{ expect: "new" }, { say: "One fault." }]],
        generator: [[{ expect: "One fault" }, { say: changeset }]],
      }),
    );
    expect(result).toMatchObject({ status: "completed", turns: 2, results: { diff, review: "One fault.", changeset } });
    const folder = join(program.project, ".changeset");
    const [file = ""] = readdirSync(folder);
    expect(readFileSync(join(folder, file), "utf8")).toBe(`${changeset}\n`);
    expect(readdirSync(program.project)).not.toContain("canary");
  });

  test("variables of earlier tasks", async () => {
    await using program = await openStubbed();
    const text = `${teamOf({ reviewer: [[{ say: "fine" }]], generator: [[{ say: "${{ inbox }}" }]] })}tasks:
  - shell: git diff
    as: diff

  - send: "Review: \${{ diff }}"
    to: reviewer
    as: review

  - send: "Based on \${{ review }}, generate changeset"
    to: generator
`;
    expect(await run(program, text)).toMatchObject({
      output: "user: Based on fine, generate changeset",
      results: { diff },
    });
  });

  test.each([
    ["a security hole", 2],
    ["nothing to say", 1],
  ])("a conditional task, when the review says %j", async (review, turns) => {
    await using program = await openStubbed();
    const text = `${teamOf({ reviewer: [[{ say: review }]], "security-reviewer": [[{ say: "deep" }]] })}tasks:
  - send: "Review"
    to: reviewer
    as: review

  - if: \${{ review.contains('security') }}
    send: "Deep security review"
    to: security-reviewer
`;
    expect(await run(program, text)).toMatchObject({
      status: "completed",
      turns,
      output: turns === 2 ? "deep" : review,
    });
  });

  const team = {
    "code-reviewer": [[{ say: "code" }]],
    "security-reviewer": [[{ expect: "based on code" }, { say: "safe" }]],
    "perf-reviewer": [[{ expect: "based on code" }, { say: "fast" }]],
    summarizer: [[{ say: "${{ inbox }}" }]],
  };
  test.each([
    ["a list", `\n${sideBySide("      ")}`],
    ["a limit", `\n      max: 3  # Max concurrent tasks\n      tasks:\n${sideBySide("        ")}`],
  ])("parallel tasks, with %s", async (_, parallel) => {
    await using program = await openStubbed();
    const text = `${teamOf(team)}tasks:
  # Sequential task
  - send: "Review code"
    to: code-reviewer
    as: review

  # Parallel tasks
  - parallel:${parallel}

  # Sequential (waits for parallel to complete)
  - send: "Summarize: \${{ security }} and \${{ perf }}"
    to: summarizer
`;
    expect(await run(program, text)).toMatchObject({
      status: "completed",
      turns: 4,
      output: "user: Summarize: safe and fast",
      results: { review: "code", security: "safe", perf: "fast" },
    });
  });
});
