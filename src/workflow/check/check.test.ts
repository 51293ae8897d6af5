import { describe, expect, test } from "bun:test";
import { WorkflowDefinition, type WorkflowInput } from "../../protocol/definition/definition.ts";
import { processorTime } from "../../../test/fixtures/workflow/processor-time.ts";
import { checkWorkflow, kickoffProblem } from "./check.ts";

const mock = { backend: "mock" } as const;
const team: WorkflowInput = { name: "review", agents: { reviewer: mock, coder: mock } };

test("finds nothing wrong with a valid workflow, as written and as resolved", () => {
  const workflow: WorkflowInput = {
    ...team,
    setup: [{ shell: 'git diff "${{ env.BASE }}"', as: "diff" }],
    kickoff: "${{ diff }}\n@reviewer please look",
  };
  expect(checkWorkflow(workflow)).toEqual([]);
  expect(checkWorkflow(WorkflowDefinition.parse(workflow))).toEqual([]);
});

test("reports paths without positions for definitions that come as JSON", () => {
  const workflow: WorkflowInput = {
    name: "a b",
    agents: { "1st": mock, Same: mock, same: mock, other: { backend: "sdk" } },
    setup: [{ shell: "eval ${{ x }}", env: { A: "${{ y }}" } }],
    kickoff: "@all",
  };
  const problems = checkWorkflow(workflow).map(({ path, message, line }) => ({ path, message, line }));
  expect(problems).toEqual([
    { path: "name", message: expect.stringContaining("is not a valid workflow name"), line: undefined },
    {
      path: "agents.same",
      message: "there is already an agent named 'Same'; names are case-insensitive",
      line: undefined,
    },
    { path: "agents.1st", message: expect.stringContaining("is not a valid agent name"), line: undefined },
    { path: "agents.other", message: "agent 'other' needs a model", line: undefined },
    { path: "setup[0].shell", message: "unknown name 'x'", line: undefined },
    { path: "setup[0].shell", message: expect.stringContaining("evaluates it again"), line: undefined },
    { path: "setup[0].env.A", message: "unknown name 'y'", line: undefined },
  ]);
});

test("rejects characters that cannot be stored and nesting that is too deep", () => {
  const args = JSON.parse(`${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`);
  const workflow: WorkflowInput = {
    ...team,
    agents: { a: { ...mock, script: [[{ tool: { name: "x", args } }]] }, b: { ...mock, description: "a\0b" } },
  };
  expect(checkWorkflow(workflow).map(({ message }) => message)).toEqual(["this is nested too deeply"]);
  expect(checkWorkflow({ ...team, kickoff: "@all \ud800" })).toMatchObject([{ path: "kickoff", severity: "error" }]);
});

test("stops when there are more findings than anyone would read", () => {
  const setup = Array.from({ length: 20_000 }, (_, index) => ({ shell: "echo ${{ x }}", as: `a${index}` }));
  const spent = processorTime(() => {
    expect(checkWorkflow({ ...team, setup })).toHaveLength(200);
  });
  expect(spent).toBeLessThan(4_000);
});

/** What the check reports for a kickoff, and why a run would refuse it. */
function check(kickoff: string | undefined, workflow: WorkflowInput = team) {
  const whole = { ...workflow, ...(kickoff !== undefined && { kickoff }) };
  return {
    checked: checkWorkflow(whole).map(({ severity, message }) => `${severity}: ${message}`),
    problem: kickoffProblem(whole)?.message,
  };
}

describe("the kickoff", () => {
  test.each(["@reviewer go", "@Reviewer: go", "@all", "hello\n@coder", '@"coder"', "@user and @coder"])(
    "%j mentions an agent",
    (kickoff) => {
      expect(check(kickoff)).toEqual({ checked: [], problem: undefined });
    },
  );

  test.each(["go", "@user go", "`@reviewer`", "\\@reviewer", "mail a@reviewer.com"])(
    "%j mentions no agent: a warning, and an error for a run",
    (kickoff) => {
      expect(check(kickoff)).toEqual({
        checked: ["warning: the kickoff mentions no agent"],
        problem: "the kickoff mentions no agent",
      });
    },
  );

  test("ignores mentions in values", () => {
    const { problem } = check("${{ workflow.name }} @${{ workflow.tag }}");
    expect(problem).toBe("the kickoff mentions no agent");
    expect(check("https://x.org/${{ instance }},@coder").problem).toBe("the kickoff mentions no agent");
  });

  test("reports an unknown agent with the most similar one, which also explains that no agent is mentioned", () => {
    expect(check("@reveiwer go")).toEqual({
      checked: ["warning: no agent named 'reveiwer': did you mean 'reviewer'?"],
      problem: "the kickoff mentions no agent; no agent named 'reveiwer': did you mean 'reviewer'?",
    });
    expect(check("@coder and @banana")).toEqual({
      checked: ["warning: no agent named 'banana'"],
      problem: undefined,
    });
  });

  test("goes to the only agent if there is just one", () => {
    expect(check("go", { name: "one", agents: { a: mock } })).toEqual({ checked: [], problem: undefined });
  });

  test("is optional, but not for a run", () => {
    expect(check(undefined)).toEqual({
      checked: [],
      problem: "there is no kickoff, so a run has nothing to do",
    });
  });

  test("cannot be empty", () => {
    expect(check(" \n")).toEqual({ checked: ["error: the kickoff is empty"], problem: "the kickoff is empty" });
  });

  test("has no channel without a context", () => {
    expect(check("@coder", { ...team, context: false })).toEqual({
      checked: ["error: with context: false there is no channel for a kickoff"],
      problem: "with context: false there is no channel for a kickoff",
    });
  });

  test("is an error in the check of a run", () => {
    expect(checkWorkflow({ ...team, kickoff: "go" }, { mustWork: true })).toMatchObject([{ severity: "error" }]);
    expect(checkWorkflow(team, { mustWork: true })).toMatchObject([{ severity: "error" }]);
  });
});

test("rejects more expressions than can be checked quickly, and reports nothing else about them", () => {
  const kickoff = Array.from({ length: 20_000 }, (_, index) => `\${{ workflow.name + '${index}' }}`).join(" ");
  const spent = processorTime(() => {
    expect(checkWorkflow({ ...team, kickoff })).toEqual([
      expect.objectContaining({
        path: "kickoff",
        message: "a workflow can have at most 1,000 expressions, not counting plain names",
      }),
    ]);
  });
  expect(spent).toBeLessThan(1_000);
});
