/**
 * The workflows of the design documents, run as written: with `backend: mock` and a script added to each agent, their
 * prompt files supplied, and outside programs stubbed on the path. Fragments of workflows get the agents that they mention.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { MessageList } from "../../src/protocol/http/workflows.ts";
import type { RunResult } from "../../src/protocol/instance.ts";
import { openProgram, type Program, type SharedProgram } from "../fixtures/program.ts";

type Scripts = Record<string, unknown[]>;

const handOver = (message: string) => ({ tool: { name: "channel_send", args: { message } } });

/** Adds the mock backend to each agent of a file; the rest of the text is unchanged. */
function withMocks(text: string, scripts: Scripts): string {
  return text.replace(/^ {2}([\w-]+):\n(?= {4}model:)/gm, (line, name) => {
    return `${line}    backend: mock\n    script: ${JSON.stringify(scripts[name] ?? [])}\n`;
  });
}

/** The agents for fragments that contain only tasks. */
function teamOf(scripts: Scripts): string {
  const agents = Object.entries(scripts).map(
    ([name, script]) => `  ${name}: { backend: mock, script: ${JSON.stringify(script)} }`,
  );
  return `agents:\n${agents.join("\n")}\n`;
}

const diff = '- "old" $(touch canary)\n+ @coder @reviewer `new`';

let shared: Program;
beforeAll(async () => {
  shared = await openProgram();
});
afterAll(() => shared[Symbol.asyncDispose]());

/** The program in its own project, with stubs of `gh` and `git` on its path. */
function openStubbed(): SharedProgram {
  const program = shared.inAnotherProject();
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

async function run(program: SharedProgram, text: string): Promise<RunResult> {
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

describe("design documents: teams with a kickoff", () => {
  test.each([
    ["first", basic],
    ["newest", basic.replaceAll(/^# (?!review).*\n\n?/gm, "")],
  ])("runs the basic structure of the %s document: reviewer and coder on a pull request", async (_, text) => {
    const program = openStubbed();
    const result = await run(
      program,
      withMocks(text, {
        reviewer: [[{ expect: "touch canary" }, handOver("@coder line 1"), { say: "Reviewed." }]],
        // Both agents are addressed, so the review can arrive before the coder's first turn.
        coder: [
          { on: "^reviewer: @coder line 1", do: [{ say: "Fixed." }] },
          { on: "PR diff", do: [{ say: "Noted." }] },
        ],
      }),
    );
    expect(result).toMatchObject({ status: "completed", exitCode: 0, results: { diff } });
    const { messages } = await program.ask<MessageList>("peek", "@code-review");
    const [kickoff] = messages;
    expect(kickoff).toMatchObject({ sender: "user", recipients: ["reviewer", "coder"] });
    expect(messages.findLast(({ sender }) => sender === "coder")?.content).toBe("Fixed.");
    expect(kickoff?.content).toContain(diff);
  });

  test.each([["context:\n"], [""]])("runs the simple review with %j", async (context) => {
    const program = openStubbed();
    const script = [[{ expect: "new" }, { say: "Looks good." }]];
    expect(await run(program, withMocks(simple(context), { reviewer: script }))).toMatchObject({
      status: "completed",
      output: "Looks good.",
    });
  });

  test("runs the simple review of the newest document, with its prompt in a file", async () => {
    const program = openStubbed();
    const text = `name: review

agents:
  reviewer:
    model: anthropic/claude-sonnet-4-5
    system_prompt: prompts/reviewer.md

setup:
  - shell: gh pr diff
    as: diff

kickoff: |
  Please review this PR:
  \${{ diff }}
  @reviewer
`;
    const script = [[{ expect: "Please review this PR:" }, { say: "Fine." }]];
    expect(await run(program, withMocks(text, { reviewer: script }))).toMatchObject({ output: "Fine." });
  });

  test("runs the collaboration of the newest document, in which only the coordinator writes", async () => {
    const program = openStubbed();
    const agents = ["coordinator", "reviewer", "coder"].map(
      (name) => `  ${name}:\n    model: anthropic/claude-sonnet-4-5\n    system_prompt: prompts/${name}.md\n`,
    );
    const text = `name: code-review

agents:
${agents.join("\n")}
context:
  documentOwner: coordinator

setup:
  - shell: gh pr view --json title,body,files
    as: pr_info

kickoff: |
  New PR to review:
  \${{ pr_info }}

  @coordinator please orchestrate.
`;
    const write = { tool: { name: "document_write", args: { content: "# Mine" } } };
    const suggest = { tool: { name: "document_suggest", args: { content: "line 1 is wrong" } } };
    const result = await run(
      program,
      withMocks(text, {
        coordinator: [
          [write, handOver("@reviewer begin"), { say: "Begun." }],
          [{ expect: "line 1 is wrong" }, { tool: { name: "document_append", args: { content: "line 1" } } }],
        ],
        reviewer: [[write, { expect: "only coordinator can write" }, suggest, { say: "Suggested." }]],
      }),
    );
    expect(result).toMatchObject({ status: "completed", exitCode: 0 });
    const notes = join(program.project, ".workflow/code-review/main/documents/notes.md");
    expect(readFileSync(notes, "utf8")).toBe("# Mine\nline 1");
  });

  test("runs the collaboration in which a coordinator assigns work to two agents", async () => {
    const program = openStubbed();
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

  test("fills in the reserved variables", async () => {
    const program = openStubbed();
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
    // The agent gets the key, and its own output is redacted.
    expect((await program.ask<MessageList>("peek", "@review")).messages[0]?.content).toContain("no secret");
    for (const part of ["[redacted]", "review  # Workflow", `main ${folder}/channel.md ${folder}/documents/notes.md`]) {
      expect(output).toContain(part);
    }
  });
});

describe("design documents: setup and kickoff only", () => {
  test.each(["Review this PR:\n  ${{ diff }}\n\n  @reviewer please analyze", "Review this PR:\n  ${{ diff }}"])(
    "%j",
    async (kickoff) => {
      const program = openStubbed();
      const text = `${teamOf({ reviewer: [[{ expect: "new" }, { say: "Analyzed." }]] })}setup:
  - shell: gh pr diff
    as: diff

kickoff: |
  ${kickoff}
`;
      expect(await run(program, text)).toMatchObject({ output: "Analyzed.", results: { diff } });
    },
  );
});

describe("design documents: configurations of the context", () => {
  const scribe = { tool: { name: "document_write", args: { content: "# Notes" } } };
  const team = `${teamOf({ reviewer: [[{ expect: "begin" }]], scribe: [[scribe, { say: "Written." }]] })}`;
  const kickoff = 'kickoff: "@reviewer and @scribe begin"\n';
  const filed = ["channel.md", "documents/notes.md", "_state/inbox-state.json"];
  const folder = ".workflow/review/main";
  test.each<[title: string, context: string, files: string[], absent: string[]]>([
    ["none", "", [`${folder}/documents/notes.md`], [`${folder}/channel.md`]],
    ["file", "context:\n  provider: file\n", filed.map((file) => `${folder}/${file}`), []],
    [
      "file, with its own names",
      `context:
  provider: file
  config:
    dir: ./my-context/
    channel: discussion.md
    document: workspace.md
`,
      ["my-context/discussion.md", "my-context/documents/workspace.md"],
      [".workflow", "my-context/channel.md"],
    ],
    [
      "several documents, with an entry point",
      `context:
  provider: file
  config:
    dir: .workflow/\${{ instance }}/
    channel: channel.md
    document: workspace.md    # Entry point only
    documents:                # Additional structured documents
      - goals.md
      - todos.md
      - methodology.md
      - decisions.md
`,
      ["workspace", "goals", "todos", "methodology", "decisions"].map((name) => `.workflow/main/documents/${name}.md`),
      [".workflow/review"],
    ],
    ["memory", "context:\n  provider: memory\n", [`${folder}/documents/notes.md`], [`${folder}/channel.md`]],
    [
      "sqlite, in its own database, with an owner",
      `context:
  provider: sqlite           # Default
  documentOwner: scribe      # Optional: single-writer for documents
  config:
    db: .workflow/agent-worker.db  # Default location
`,
      [".workflow/agent-worker.db", `${folder}/documents/notes.md`],
      [`${folder}/channel.md`],
    ],
    [
      "file, in the default folder",
      `context:
  provider: file
  config:
    dir: .workflow/\${{ workflow.name }}/\${{ workflow.tag }}/
`,
      filed.map((file) => `${folder}/${file}`),
      [],
    ],
    ["documents: file", "context:\n  documents: file\n", [`${folder}/documents/notes.md`], []],
    ["documents: sqlite", "context:\n  documents: sqlite\n", [], [folder]],
  ])("%s", async (_, context, files, absent) => {
    const program = openStubbed();
    expect(await run(program, team + context + kickoff)).toMatchObject({ status: "completed", output: "Written." });
    const there = (path: string) => existsSync(join(program.project, path));
    expect({ missing: files.filter((path) => !there(path)), odd: absent.filter(there) }).toEqual({
      missing: [],
      odd: [],
    });
  });

  test("false: agents get messages only from tasks", async () => {
    const program = openStubbed();
    const task = "context: false\ntasks:\n  - { send: Begin., to: reviewer, as: said }\n";
    const text = `${teamOf({ reviewer: [[{ say: "Done." }]] })}${task}`;
    expect(await run(program, text)).toMatchObject({ output: "Done.", results: { said: "Done." } });
    expect((await program.give(["send", "@review", "hello"])).stderr).toContain("context: false");
  });
});

const sideBySide = (indent: string) =>
  `- send: "Security review based on \${{ review }}"
  to: security-reviewer
  as: security
- send: "Performance review based on \${{ review }}"
  to: perf-reviewer
  as: perf`.replace(/^/gm, indent);

describe("design documents: sequences of tasks", () => {
  test("runs the basic structure: a review, then a changeset on disk", async () => {
    const program = openStubbed();
    const text = `# review.yml
name: review  # Optional, defaults to filename without extension

agents:
  reviewer:
    model: anthropic/claude-sonnet-4-5
    system_prompt: ./prompts/reviewer.txt  # String or file path
    tools:
      - read_file
      - search_code
    max_tokens: 4096        # Optional
    max_steps: 10           # Optional

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
        reviewer: [[{ expect: "new" }, { say: "One bug." }]],
        generator: [[{ expect: "One bug" }, { say: changeset }]],
      }),
    );
    expect(result).toMatchObject({ status: "completed", turns: 2, results: { diff, review: "One bug.", changeset } });
    const folder = join(program.project, ".changeset");
    const [file = ""] = readdirSync(folder);
    expect(readFileSync(join(folder, file), "utf8")).toBe(`${changeset}\n`);
    expect(readdirSync(program.project)).not.toContain("canary");
  });

  test("uses tools by name and by file", async () => {
    const program = openStubbed();
    program.write(
      "my-tools.ts",
      `export const greet = { description: "Greets", inputSchema: { type: "object" }, execute: async () => "good day" };`,
    );
    program.write("a.ts", "const answer = 42;\n");
    const text = `agents:
  reviewer:
    tools:
      - read_file              # Built-in tool name
      - search_code            # Built-in tool name
      - ./my-tools.ts          # External file
`;
    const script = [
      [
        { tool: { name: "search_code", args: { pattern: "answer" } } },
        { expect: "a.ts:1" },
        { tool: { name: "greet", args: {} } },
        { say: "${{ result }}" },
      ],
    ];
    const mock = `    backend: mock\n    script: ${JSON.stringify(script)}\nkickoff: "@reviewer go"\n`;
    expect(await run(program, text + mock)).toMatchObject({ status: "completed", output: "good day" });
  });

  test("passes variables of earlier tasks", async () => {
    const program = openStubbed();
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
  ])("decides on a conditional task when the review is %j", async (review, turns) => {
    const program = openStubbed();
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
  ])("runs parallel tasks with %s", async (_, parallel) => {
    const program = openStubbed();
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
