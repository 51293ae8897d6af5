import { describe, expect, test } from "bun:test";
import { processorTime } from "../../test/fixtures/workflow/processor-time.ts";
import { agentKeys, refKeys } from "../protocol/definition/agent-definition.ts";
import { formatDiagnostics } from "./diagnostics/diagnostic.ts";
import { parseWorkflow } from "./parse.ts";

const agents = "agents: { a: { backend: mock }, b: { backend: mock } }";

/** `line:column message` of each diagnostic; warnings are marked. */
function problemsOf(text: string, file = "review.yaml"): string[] {
  return parseWorkflow(text, { file }).diagnostics.map(
    ({ severity, line, column, message }) => `${line}:${column} ${severity === "warning" ? "warning: " : ""}${message}`,
  );
}

test("returns the content as plain JSON, and the definition with its defaults", () => {
  const { input, definition, diagnostics } = parseWorkflow(
    'agents:\n  a:\n    backend: mock\n    timeout: 5s\nsetup:\n  - shell: git diff\n    as: diff\nkickoff: "@a ${{ diff }}"\n',
    { file: "flows/review.yaml" },
  );
  expect(diagnostics).toEqual([]);
  expect(input).toEqual({
    name: "review",
    agents: { a: { backend: "mock", timeout: "5s" } },
    setup: [{ shell: "git diff", as: "diff" }],
    kickoff: "@a ${{ diff }}",
  });
  expect(JSON.parse(JSON.stringify(input))).toEqual(input);
  expect(definition).toMatchObject({
    name: "review",
    agents: { a: { timeout: 5_000, idle_timeout: 600_000, retry: { attempts: 3 } } },
    context: { provider: "sqlite" },
    limits: { concurrency: 8 },
  });
});

test("takes the name from the text, or from the file, or asks for one", () => {
  expect(parseWorkflow(`name: other\n${agents}`, { file: "review.yaml" }).definition?.name).toBe("other");
  expect(parseWorkflow(agents, { file: "a/b/review.yml" }).definition?.name).toBe("review");
  const { diagnostics } = parseWorkflow(agents, { file: "my flow.yaml" });
  expect(diagnostics).toMatchObject([{ path: "name", line: 1, column: 1, hint: "add a line such as name: review" }]);
  expect(diagnostics[0]!.message).toContain("'my flow' is not a valid workflow name");
  expect(problemsOf(agents, "global.yaml")[0]).toContain("'global' is reserved");
});

test("reports every mistake at once, in the order of the file", () => {
  const text = [
    "kickof: hello",
    "agents:",
    "  all: { backend: mock }",
    "  a: { backend: mok }",
    "  b: { backend: mock, timeout: 30 }",
    "setup:",
    "  - shell: echo ${{ dif }}",
    "    as: env",
    "kickoff: ${{ unknown }} @a",
  ].join("\n");
  expect(problemsOf(text)).toEqual([
    "1:1 unknown key 'kickof': did you mean 'kickoff'?",
    "3:3 'all' is reserved and cannot be the name of an agent",
    "4:17 unknown backend 'mok': did you mean 'mock'?",
    "5:32 expected a duration, found the number 30",
    "7:17 unknown name 'dif'",
    "8:9 'env' is a reserved name",
    "9:10 unknown name 'unknown'",
  ]);
});

test("suggests only valid keys of an agent along with ref", () => {
  const text = "agents: { a: { ref: alice, model: x } }";
  const [{ hint } = { hint: "" }] = parseWorkflow(text, { file: "review.yaml" }).diagnostics;
  expect(hint).toBe("along with ref you can set prompt, description, schedule, schedule_prompt");
  expect(refKeys.filter((key) => !agentKeys.includes(key))).toEqual([]);
});

test("shows file, line, caret and suggestion", () => {
  const text = `${agents}\nkickof: "@a"\n`;
  const { diagnostics } = parseWorkflow(text, { file: "review.yaml" });
  expect(formatDiagnostics(diagnostics, text, "review.yaml")).toBe(
    ["review.yaml:2:1: error: unknown key 'kickof': did you mean 'kickoff'?", '  2 | kickof: "@a"', "    | ^"].join(
      "\n",
    ),
  );
});

describe("keys and values", () => {
  test.each([
    [`${agents}\nbanana: 1`, ["2:1 unknown key 'banana'"]],
    ["agents: { a: { backend: mock, prompt: x } }", ["1:31 only a borrowed agent has a prompt"]],
    [
      "agents: { a: { backend: mock, retry: { atempts: 3 } } }",
      ["1:40 unknown key 'atempts': did you mean 'attempts'?"],
    ],
    ["kickoff: hi", ["1:1 the key 'agents' is missing"]],
    ["agnts: { a: { backend: mock } }", ["1:1 unknown key 'agnts': did you mean 'agents'?"]],
    ["agents: {}", ["1:1 a workflow needs at least one agent"]],
    ["agents:", ["1:1 'agents' has no value"]],
    ["agents: [a]", ["1:1 expected a map, found a list"]],
    ["agents: a", ["1:9 expected a map, found text"]],
    ["agents:\n  a:\n", ["2:3 'a' has no value"]],
    ["agents:\n  a: {}\n", ["2:3 agent 'a' needs a model"]],
    [
      "agents: { a: { backend: sdk, model: claude/sonnet } }",
      ["1:37 'claude/' selects the backend claude, but this agent has backend: sdk"],
    ],
    [
      "agents: { a: { model: x, provider: anthropc } }",
      ["1:36 unknown provider 'anthropc': did you mean 'anthropic'?"],
    ],
    ["agents: { a: { model: x, provider: { name: openai-compatible } } }", ["1:44 openai-compatible needs a base_url"]],
    ["agents: { a: { model: openai/ } }", ["1:23 'openai/' does not name a model"]],
    ["agents: { a: { model: claude/ } }", ["1:23 'claude/' does not name a model"]],
    [
      "agents: { a: { backend: codex, model: claude/opus } }",
      ["1:39 'claude/' selects the backend claude, but this agent has backend: codex"],
    ],
    ["agents: { a: { backend: mock, approval: { bash: maybe } } }", ["1:49 unknown approval mode 'maybe'"]],
    ["agents: { a: { model: openai-compatible/x } }", ["1:23 openai-compatible needs a base_url"]],
    ["agents: { a: { backend: claude } }", []],
    [
      "agents: { a: { backend: mock, provider: { name: x, api_key: sk-123 } } }",
      ["1:61 name the environment variable that has the key, such as $MY_KEY; do not put a key in the file"],
    ],
    [
      "agents: { a: { backend: mock, provider: { name: x, base_url: localhost } } }",
      ["1:62 expected a URL such as https://host/v1, or $NAME"],
    ],
    ["agents: { a: { backend: mock, provider: {} } }", ["1:31 the key 'name' is missing"]],
    ["agents: { a: { backend: mock, max_steps: 0 } }", ["1:42 must be at least 1"]],
    ["agents: { a: { backend: mock, history: threads } }", ["1:40 unknown history 'threads': did you mean 'thread'?"]],
    ["agents: { a: { backend: mock, command: [x] } }", ["1:31 the backend 'mock' does not run a program"]],
    ["agents: { a: { backend: mock, model: 4 } }", ["1:38 expected text, found the number 4"]],
    ["agents: { a: { backend: mock, tools: [bsh] } }", ["1:39 unknown tool 'bsh': did you mean 'bash'?"]],
    ["agents: { a: { backend: mock, tools: bash } }", ["1:38 expected a list, found text"]],
    [
      "agents: { a: { backend: mock, timeout: 5 minutes } }",
      ["1:40 expected a duration such as 500ms, 30s, 10m or 1h"],
    ],
    ["agents: { a: { backend: mock, timeout: 60d } }", ["1:40 at most 30d"]],
    ["agents: { a: { backend: mock, retry: { attempts: 0 } } }", ["1:50 must be at least 1"]],
    ["agents: { a: { backend: mock, retry: { attempts: 1.5 } } }", ["1:50 expected a whole number"]],
    ["agents: { a: { backend: mock, cwd: '' } }", ["1:36 must not be empty"]],
    [
      "agents: { a: { backend: mock, env: { A B: x } } }",
      ["1:38 'A B' is not a valid name of an environment variable"],
    ],
    ["agents: { a: { backend: mock, env: { A: true } } }", ["1:41 expected text, found the boolean true"]],
    [`${agents}\ncontext: yes`, ["2:10 expected false or { provider: … }, found text"]],
    [`${agents}\ncontext: { provider: memry }`, ["2:22 unknown provider 'memry': did you mean 'memory'?"]],
    [`${agents}\ncontext: { config: { db: x.db } }`, []],
    [`${agents}\ncontext: { config: { db: ../x.db } }`, ["2:26 the database must be inside the project"]],
    [`${agents}\ncontext: { config: { db: x/ } }`, ["2:26 this is a folder, not a file"]],
    [`${agents}\ncontext: { config: { db: "\${{ params.x }}" } }`, ["2:27 unknown name 'params.x'"]],
    [`${agents}\ncontext: { provider: memory, config: { db: x.db } }`, ["2:40 provider: memory has no database file"]],
    [`${agents}\ncontext: { documents: fil }`, ["2:23 unknown document 'fil': did you mean 'file'?"]],
    [`${agents}\ncontext: { documentOwner: c }`, ["2:27 no agent named 'c': did you mean 'a' or 'b'?"]],
    [`${agents}\ncontext: { config: { dir: ../x } }`, ["2:27 the folder must be inside the project"]],
    [`${agents}\ncontext: { config: { dir: /tmp } }`, ["2:27 the folder must be inside the project"]],
    [`${agents}\ncontext: { config: { documentDir: a/../.. } }`, ["2:35 the folder must be inside the project"]],
    [`${agents}\ncontext: { config: { dir: "\${{ env.HOME }}" } }`, ["2:28 unknown name 'env.HOME'"]],
    ["agents: { a: { ref: all } }", ["1:21 'all' is reserved and cannot be the name of an agent"]],
    [
      "agents: { a: { ref: alice, model: x, limit: 1 } }",
      ["1:28 'model' belongs to the borrowed agent and cannot be changed here", "1:38 unknown key 'limit'"],
    ],
    [
      "agents: { a: { ref: alice, prompt: { add: x } } }",
      ["1:28 the key 'append' is missing", "1:38 unknown key 'add'"],
    ],
    ['agents: { a: { ref: alice, prompt: { append: "${{ x }}" } } }', ["1:47 unknown name 'x'"]],
    ["agents: { a: { backend: mock, prompt: { append: x } } }", ["1:31 only a borrowed agent has a prompt"]],
    [`${agents}\ncontext: { config: { channel: ../x.md } }`, ["2:31 this is not a valid name for the channel's file"]],
    [
      `${agents}\ncontext: { provider: file, config: { channel: documents/x.md } }`,
      ["2:47 documents/x.md and _state/ would be in the documents folder"],
    ],
    [
      `${agents}\ncontext: { provider: file, config: { documentDir: ./ } }`,
      ["2:28 channel.md and _state/ would be in the documents folder"],
    ],
    [
      `${agents}\ncontext: { provider: file, config: { channel: _state/x.md } }`,
      ["2:47 the folder _state/ is reserved"],
    ],
    [`${agents}\ncontext: { config: { document: ../x.md } }`, ['2:32 "../x.md" leaves the documents folder']],
    [
      `${agents}\ncontext: { config: { documents: [a.md, .b] } }`,
      ['2:40 ".b" is not a valid document name: use letters, digits, ., _, - and /, such as notes/today.md'],
    ],
    [`${agents}\nlimits: { concurrency: 0 }`, ["2:24 must be at least 1"]],
    [`${agents}\nlimits: { cost: $1 }`, ["2:11 'cost' is not supported in this version"]],
    [`${agents}\nsetup: [{ as: x }]`, ["2:9 the key 'shell' is missing"]],
    [`${agents}\nsetup: { shell: x }`, ["2:1 expected a list, found a map"]],
    [
      `${agents}\nsetup: [{ shell: x, as: a-b }]`,
      ["2:25 not a valid name: use letters, digits and _, starting with a letter or _"],
    ],
    [`name: 3\n${agents}`, ["1:7 expected text, found the number 3"]],
    [
      `name: a b\n${agents}`,
      ["1:7 'a b' is not a valid workflow name: use letters, digits, _ and -, starting with a letter"],
    ],
  ])("%j", (text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  test.each([
    "context: false",
    "context:",
    "context: null",
    "context: { provider: memory }",
    "context: {}",
    "context: { documents: sqlite, documentOwner: A }",
    "context: { documentOwner: elect }",
    "context: { config: { dir: 'x/${{ workflow.tag }}', documents: [goals.md] } }",
  ])("accepts %s", (context) => {
    expect(problemsOf(`${agents}\n${context}`)).toEqual([]);
  });
});

describe("a mock's script", () => {
  test.each([
    ["[]", []],
    ["[[{ say: hi }], []]", []],
    ["[{ on: x, do: [{ say: '${{ inbox }} ${{ result }}' }] }]", []],
    ["[[{ tool: { name: bash, args: { command: '$HOME' } } }, { expect: ^ok$ }, { wait: 1s }]]", []],
    ["[[{ fail: { kind: crash, attempts: 1 } }, { usage: { input: 1, cost: 0.1 } }]]", []],
    ["hello", ["4:13 expected a list of turns, found text"]],
    ["[{ say: hi }]", ["4:14 expected a turn (a list of steps), found a map"]],
    ["[say]", ["4:14 expected a turn, found text"]],
    ["[[{ say: hi }], { on: x, do: [] }]", ["4:5 a script has either turns or replies, not both"]],
    ["[[{ tol: { name: x } }]]", ["4:15 unknown step 'tol': did you mean 'tool'?"]],
    ["[[{}]]", ["4:15 this step is empty"]],
    ["[[say]]", ["4:15 expected a step, found text"]],
    ["[[{ say: hi, wait: 1s }]]", ["4:15 a step does one thing, but this one has say and wait"]],
    ["[[{ say: hi, loud: true }]]", ["4:26 unknown key 'loud'"]],
    ["[[{ say: 3, loud: true }]]", ["4:15 unknown key 'loud' in a say step"]],
    ["[[{ tool: { nme: x } }]]", ["4:25 unknown key 'nme': did you mean 'name'?"]],
    ["[[{ wait: 5 }]]", ["4:23 expected a duration, found the number 5"]],
    ["[[{ fail: { kind: crsh } }]]", ["4:31 unknown kind 'crsh': did you mean 'crash'?"]],
    ["[[{ say: 3 }]]", ["4:22 expected text, found the number 3"]],
    ["[{ on: x, do: [{ wait: 5 }] }]", ["4:36 expected a duration, found the number 5"]],
    ["[{ on: x }]", ["4:14 the key 'do' is missing"]],
    ["[[{ expect: '(' }]]", ["4:25 this is not a valid regular expression: missing )"]],
    [
      "[{ on: '[a', do: [] }]",
      ["4:20 this is not a valid regular expression: missing terminating ] for character class"],
    ],
    ["[[{ say: '${{ diff }}' }]]", ["4:23 unknown name 'diff'"]],
    [
      "[[{ tool: { name: x, args: { a: [{ b: 'x ${{ inbx }}' }] } } }]]",
      ["4:54 unknown name 'inbx': did you mean 'inbox'?"],
    ],
  ])("%s", (script, problems) => {
    expect(problemsOf(`agents:\n  a:\n    backend: mock\n    script: ${script}\n`)).toEqual(problems);
  });

  test("is only for a mock, and nothing else is reported about the backend", () => {
    expect(problemsOf("agents: { a: { script: [] } }")).toEqual(["1:16 only the backend mock has a script"]);
    expect(problemsOf("agents: { a: { backend: claude, script: [] } }")).toEqual([
      "1:33 only the backend mock has a script",
    ]);
    expect(problemsOf("agents: { a: { backend: mok, script: [] } }")).toEqual([
      "1:25 unknown backend 'mok': did you mean 'mock'?",
    ]);
  });
});

describe("variables", () => {
  test.each([
    ["${{ workflow.name }} ${{ workflow.tag }} ${{ workflow.instance }} ${{ instance }}", []],
    ["${{ source.dir }} ${{ env.HOME }} ${{ diff }} ${{diff}}", []],
    ["a ${{ dif }}", ["4:12 unknown name 'dif': did you mean 'diff'?"]],
    ["${{ workflow.nam }}", ["4:10 unknown name 'workflow.nam': did you mean 'workflow.name'?"]],
    ["${{ diff }} and ${{ nope }}", ["4:26 unknown name 'nope'"]],
    ["${{ }}", ["4:10 this ${{ }} is empty"]],
    ["${{ diff", ["4:10 this ${{ is never closed"]],
    ["${{ diff ${{ diff }}", ["4:10 this ${{ is never closed"]],
    ["${{ size(diff) > 1 }}", []],
    ["${{ params.x }}", ["4:10 unknown name 'params.x'"]],
    ["${{ env.1 }}", ["4:10 unknown name 'env.1'"]],
    ["${{ toString }} ${{ __proto__ }}", ["4:10 unknown name 'toString'", "4:26 unknown name '__proto__'"]],
  ])("%s in a kickoff", (kickoff, problems) => {
    const text = `agents: { a: { backend: mock } }\nsetup:\n  - { shell: ls, as: diff }\nkickoff: ${kickoff}`;
    expect(problemsOf(text)).toEqual(problems);
  });

  test("are reported with their position in every style of YAML text", () => {
    const text = [
      agents,
      "setup:",
      "  - shell: |",
      "      echo one",
      "      echo ${{ literal }}",
      "  - shell: >-",
      "      echo one",
      "      ${{ literal }} two ${{ folded }}",
      '  - shell: "echo\\n\\',
      '      ${{ quoted }}"',
      "  - shell: 'echo ''${{ single }}'",
      "    cwd: ${{ source.dir }}/${{ plain }}",
      "    env: { A: '${{ inside }}' }",
    ].join("\n");
    expect(problemsOf(text).filter((problem) => problem.includes("unknown name"))).toEqual([
      "5:12 unknown name 'literal'",
      "8:7 unknown name 'literal'",
      "8:26 unknown name 'folded'",
      "10:7 unknown name 'quoted'",
      "11:20 unknown name 'single'",
      "12:28 unknown name 'plain'",
      "13:16 unknown name 'inside'",
    ]);
  });

  test("can be used only after the step that captures them, but everywhere by agents", () => {
    const text = [
      "agents:",
      "  a: { backend: mock, system_prompt: '${{ one }}', cwd: '${{ two }}', env: { A: '${{ one }}' } }",
      "setup:",
      "  - { shell: 'echo ${{ one }}', as: one }",
      "  - { shell: 'echo ${{ one }} ${{ two }}', as: two }",
      "kickoff: ${{ one }} ${{ two }}",
    ].join("\n");
    expect(problemsOf(text)).toEqual([
      "4:20 'one' is not available yet: it is captured by this step or a later one",
      "5:31 'two' is not available yet: it is captured by this step or a later one",
    ]);
  });

  test("can be captured only once each", () => {
    const steps = ["{ shell: ls, as: one }", "{ shell: ls, as: one }", "{ shell: ls, as: instance }"];
    expect(problemsOf(`${agents}\nsetup: [${steps.join(", ")}]`)).toEqual([
      "2:50 another step already captures 'one'",
      "2:74 'instance' is a reserved name",
    ]);
  });

  test("that are unknown because of a broken step are not reported again", () => {
    expect(problemsOf(`${agents}\nsetup: [{ shell: ls, ass: diff }]\nkickoff: ${"${{ diff }}"} @a`)).toEqual([
      "2:22 unknown key 'ass': did you mean 'as'?",
    ]);
    expect(problemsOf(`${agents}\nstup: [{ shell: ls, as: diff }]\nkickoff: ${"${{ diff }}"} @a`)).toEqual([
      "2:1 unknown key 'stup': did you mean 'setup'?",
    ]);
  });

  test("in a script are allowed only where the shell does not evaluate them again", () => {
    const text = `${agents}\nsetup:\n  - shell: |\n      echo \${{ instance }}\n      echo '\${{ instance }}'\n`;
    expect(problemsOf(text)).toEqual(["5:13 ${{ instance }} cannot be used inside single quotes"]);
    const { diagnostics } = parseWorkflow(text, { file: "x.yaml" });
    expect(diagnostics[0]!.hint).toContain('env: { INSTANCE: "${{ instance }}" }');
  });

  test("that are not closed do not cause errors about the script around them", () => {
    expect(problemsOf(`${agents}\nsetup: [{ shell: "echo \${{ instance }} \${{ x" }]`)).toEqual([
      "2:40 this ${{ is never closed",
    ]);
  });

  test("cause a warning where they are not interpolated", () => {
    const text = "agents: { a: { backend: mock, description: 'x ${{ y }}' } }";
    expect(problemsOf(text)).toEqual(["1:44 warning: ${{ }} is not interpolated here"]);
    expect(parseWorkflow(text, { file: "x.yaml" }).definition).toBeDefined();
  });
});

describe("YAML", () => {
  test.each([
    ["", ["1:1 there is nothing in this file"]],
    ["# nothing\n", ["1:1 there is nothing in this file"]],
    ["hello", ["1:1 this is not a map of keys and values"]],
    ["- a", ["1:1 this is not a map of keys and values"]],
    [`${agents}\nkickoff: @a go`, ["2:10 text that starts with @ must be quoted"]],
    [`${agents}\nschedule: */5 * * * *`, ["2:15 text that starts with * must be quoted"]],
    [`${agents}\nkickoff: Note: go`, ["2:10 a value on the same line as its key cannot contain ': '"]],
    [`${agents}\n\tname: x`, ["2:1 tabs cannot be used for indentation"]],
    [`${agents}\nkickoff: |\n  one\n two`, ["4:1 all mapping items must start at the same column"]],
    [`${agents}\nx: ${"[".repeat(150)}${"]".repeat(150)}`, ["2:1 unknown key 'x'", "2:104 this is nested too deeply"]],
    [`${agents}\nname: x\nname: y`, ["3:1 duplicate key 'name'"]],
    ["agents: { a: { backend: mock }, a: { backend: mock } }", ["1:33 duplicate key 'a'"]],
    [`${agents}\n---\nname: x`, ["2:1 a second document starts here"]],
    [`%YAML 1.1\n---\n${agents}`, ["1:1 this is YAML 1.1; a workflow file is YAML 1.2"]],
    [`${agents}\nname: !custom x`, ["2:7 tags such as !this are not supported"]],
    [`${agents}\nname: !!binary aGk=`, ["2:7 tags such as !this are not supported"]],
    [`${agents}\n<<: { name: x }`, ["2:1 merge keys (<<) are not part of YAML 1.2"]],
    [`${agents}\n__proto__: { name: x }`, ["2:1 '__proto__' is not allowed as a key"]],
    [`${agents}\n[a]: b`, ["2:1 a key must be plain text"]],
    [`${agents}\nname: *x`, ["2:7 there is no anchor &x before this alias"]],
    ["agents: &x { a: *x }", ["1:17 the alias *x refers to a value that contains it"]],
    [
      "agents: { a: { backend: mock, script: [[{ tool: { name: x, args: { n: .inf } } }]] } }",
      ["1:71 .inf is not a valid number in JSON"],
    ],
    [
      "agents: { a: { backend: mock, script: [[{ tool: { name: x, args: { n: 12345678901234567890 } } }]] } }",
      ["1:71 the number 12345678901234567890 is too large to be stored exactly"],
    ],
    [`${agents}\nkickoff: "@a \\0"`, ["2:10 this text contains a NUL character"]],
    [`${agents}\nkickoff: "@a \\uD800"`, ["2:10 this text contains a lone surrogate (half a character)"]],
  ])("%j", (text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  test("reports one syntax error per line and no consequences of it", () => {
    const problems = problemsOf("agents:\n  a: { backend: mock\n  b: [\nkickoff: @a\n");
    expect(problems.length).toBeGreaterThan(0);
    expect(new Set(problems.map((problem) => problem.split(":")[0])).size).toBe(problems.length);
    expect(problems.join()).not.toContain("missing");
  });

  test("treats yes, no, on and off as text, as YAML 1.2 does", () => {
    const { input } = parseWorkflow("agents: { on: { backend: mock, env: { A: yes, B: off } } }", { file: "x.yaml" });
    expect(input?.agents).toEqual({ on: { backend: "mock", env: { A: "yes", B: "off" } } });
  });

  test("lets aliases share their value", () => {
    const text = "agents:\n  a: &a { backend: mock, env: { X: y } }\n  b: *a\n";
    expect(parseWorkflow(text, { file: "x.yaml" }).input?.agents).toEqual({
      a: { backend: "mock", env: { X: "y" } },
      b: { backend: "mock", env: { X: "y" } },
    });
    expect(problemsOf("agents:\n  a: &a { backend: mok }\n  b: *a\n")).toEqual([
      "2:20 unknown backend 'mok': did you mean 'mock'?",
      "2:20 unknown backend 'mok': did you mean 'mock'?",
    ]);
  });

  test("rejects alias bombs", () => {
    const lines = ["l0: &l0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let level = 1; level < 10; level++) {
      lines.push(`l${level}: &l${level} [${Array.from({ length: 10 }, () => `*l${level - 1}`).join(", ")}]`);
    }
    const spent = processorTime(() => {
      const problems = problemsOf(lines.join("\n")).join("\n");
      expect(problems).toContain("the aliases of this file expand to more than 1 MiB");
    });
    expect(spent).toBeLessThan(2_000);
  });

  test.each(["[", "{a: ", "- ", "? ", "a: ", "]", "'a'\n", "- a\n", "&a ", "*a ", "\t-\n", "${{", "@a "])(
    "survives a file of %j",
    (piece) => {
      const { definition, diagnostics } = parseWorkflow(piece.repeat(60_000 / piece.length), { file: "x.yaml" });
      expect(definition).toBeUndefined();
      expect(diagnostics.length).toBeWithin(1, 201);
    },
  );

  test("rejects a file with too many tokens before parsing it", () => {
    expect(problemsOf("- a\n".repeat(200_000))[0]).toContain("more than 200,000");
  });

  test("neither changes a prototype nor reads from one", () => {
    const names = ["constructor", "toString", "hasOwnProperty", "valueOf"];
    const text = `agents: { ${names.map((name) => `${name}: { backend: mock }`).join(", ")} }`;
    expect(Object.keys(parseWorkflow(text, { file: "x.yaml" }).definition!.agents)).toEqual(names);
    expect(problemsOf(`${agents}\nconstructor: 1\ntoString: 2`)).toEqual([
      "2:1 unknown key 'constructor'",
      "3:1 unknown key 'toString'",
    ]);
    parseWorkflow("agents: { __proto__: { backend: polluted } }", { file: "x.yaml" });
    expect("backend" in {}).toBe(false);
  });
});
