/** agent-worker as a library: a program runs and starts workflows without the CLI. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import {
  AppError,
  type Event,
  interpolate,
  parseWorkflow,
  run,
  start,
  validate,
  type WorkflowInput,
} from "agent-worker";
import { bun } from "../../src/system/self.ts";
import { checkout } from "../fixtures/command.ts";
import { createPlace, type Place } from "../fixtures/place.ts";

const echo: WorkflowInput = {
  name: "echo",
  agents: { alice: { backend: "mock", script: [{ on: ".*", do: [{ say: "heard: ${{ inbox }}" }] }] } },
};
const within = ({ project, env, home }: Place) => ({ project, env, home });

describe("run", () => {
  test("returns output, results, status, duration and usage", async () => {
    await using place = await createPlace();
    const types: string[] = [];
    const result = await run(
      {
        name: "pipeline",
        params: [{ name: "word", type: "string", required: true }],
        agents: { alice: { backend: "mock", script: [[{ usage: { input: 3, output: 2 } }, { say: "done" }]] } },
        tasks: [
          { shell: 'echo "${{ params.word }}"', as: "said" },
          { send: "go", to: "alice", as: "answer" },
        ],
      },
      { ...within(place), params: { word: "hello" }, onEvent: ({ type }) => types.push(type) },
    );
    expect(result).toEqual({
      output: "done",
      results: { said: "hello", answer: "done" },
      status: "completed",
      reason: null,
      duration: expect.any(Number),
      usage: { inputTokens: 3, outputTokens: 2 },
    });
    expect(types[0]).toBe("workflow-start");
    expect(types.at(-1)).toBe("workflow-end");
  });

  test("that fails returns a result, and one that is aborted is stopped", async () => {
    await using place = await createPlace();
    const fail: WorkflowInput = {
      name: "fails",
      kickoff: "@alice go",
      agents: { alice: { backend: "mock", script: [[{ fail: { kind: "permanent" } }]] } },
    };
    expect(await run(fail, within(place))).toMatchObject({ status: "failed", reason: "1 dead letter" });
    const tasks: WorkflowInput = { ...echo, tasks: [{ shell: "exit 3" }] };
    const failed = await run(tasks, within(place));
    expect(failed).toMatchObject({ status: "failed", reason: "tasks[0] (exit 3) failed: exit code 3" });
    const hang: WorkflowInput = {
      name: "hangs",
      kickoff: "@alice go",
      agents: { alice: { backend: "mock", script: [[{ wait: "10m" }]] } },
    };
    const leave = new AbortController();
    const onEvent = ({ type }: { type: string }) => type === "turn-start" && leave.abort();
    const stopped = await run(hang, { ...within(place), onEvent, signal: leave.signal });
    expect(stopped).toMatchObject({ status: "stopped", reason: "stopped by the user" });
  });

  test("with an already aborted signal returns stopped and starts nothing", async () => {
    await using place = await createPlace();
    const begun: string[] = [];
    const options = { ...within(place), signal: AbortSignal.abort(), onEvent: ({ type }: Event) => begun.push(type) };
    const result = await run({ ...echo, kickoff: "@alice go" }, options);
    expect(result).toMatchObject({ status: "stopped", output: "", reason: "stopped before it started" });
    expect(begun).toEqual([]);
  });

  test("throws errors about the file, the params or the folder", async () => {
    await using place = await createPlace();
    await expect(run("nowhere.yaml", within(place))).rejects.toBeInstanceOf(AppError);
    await expect(run(echo, within(place))).rejects.toMatchObject({ code: "invalid-workflow" });
    const param: WorkflowInput = {
      ...echo,
      kickoff: "@alice",
      params: [{ name: "n", type: "integer", required: true }],
    };
    await expect(run(param, within(place))).rejects.toThrow("n");
    const runnable = { ...echo, kickoff: "@alice" };
    for (const project of [join(place.path, "nowhere"), import.meta.path]) {
      const refused = { name: "AppError", code: "usage", message: expect.stringContaining(project) };
      await expect(run(runnable, { ...within(place), project })).rejects.toMatchObject(refused);
      await expect(start(echo, { ...within(place), project })).rejects.toMatchObject(refused);
    }
  });
});

describe("start", () => {
  test("returns a handle that sends, streams events and stops; its agents answer", async () => {
    await using place = await createPlace();
    const team = await start(echo, { ...within(place), tag: "t1" });
    expect({ name: team.name, tag: team.tag, agents: [...team.agents.keys()] }).toEqual({
      name: "echo",
      tag: "t1",
      agents: ["alice"],
    });
    const alice = team.agents.get("alice");
    expect(alice?.id).toBe("alice@echo:t1");
    const { text, replies } = (await alice?.send("first")) ?? {};
    expect(text).toContain("heard: user: first");
    expect(replies).toMatchObject([{ sender: "alice", recipients: ["user"] }]);
    const second = await alice?.sendAsync("second");
    const said = await team.send("@alice third");
    const seen: string[] = [];
    for await (const event of team.events()) {
      if (event.type === "delivery-done") seen.push(event.message);
      if (seen.includes(second?.id ?? "") && seen.includes(said.id)) break;
    }
    expect((await alice?.getMessages())?.map(({ content }) => content)).toContain("second");
    await alice?.stop();
    await expect(alice?.send("anybody?")).rejects.toMatchObject({ code: "failed" });
    const ended = (async () => {
      for await (const event of team.events()) if (event.type === "workflow-end") return event.data.status;
    })();
    await team.stop();
    expect(await ended).toBe("stopped");
  });

  test("twice is refused, like the command", async () => {
    await using place = await createPlace();
    const team = await start(echo, within(place));
    await expect(start(echo, within(place))).rejects.toMatchObject({ code: "already-running" });
    await team.stop();
  });
});

describe("without a daemon", () => {
  test("a workflow is parsed with its defaults", async () => {
    const { name, agents } = await parseWorkflow(join(checkout, "examples/hello.yaml"));
    expect(name).toBe("hello");
    expect(Object.values(agents)[0]?.backend).toBe("mock");
    await expect(parseWorkflow({ name: "x", agents: {} })).rejects.toMatchObject({ code: "invalid-workflow" });
  });

  test("all errors are reported at once", async () => {
    expect(await validate(join(checkout, "examples/hello.yaml"))).toEqual({ valid: true, errors: [], warnings: [] });
    const { valid, errors } = await validate({
      ...echo,
      kickof: "x",
      tasks: [{ send: "x", to: "bob" }],
    } as WorkflowInput);
    expect(valid).toBe(false);
    expect(errors.map(({ path }) => path)).toEqual(expect.arrayContaining(["kickof", "tasks[0].to"]));
  });

  test("values are inserted into a template as data", () => {
    const variables = { values: { diff: "${{ env.HOME }}" }, env: { HOME: "/h" }, params: { depth: 3 } };
    expect(interpolate("${{ diff }} ${{ env.HOME }} ${{ params.depth + 1 }}", variables)).toBe("${{ env.HOME }} /h 4");
    expect(() => interpolate("${{ nobody }}")).toThrow(
      expect.objectContaining({
        message: expect.stringContaining("unknown name 'nobody'"),
        hint: expect.stringContaining("{ values: { nobody: "),
      }),
    );
  });
});

test("the example runs unchanged", async () => {
  await using place = await createPlace();
  const child = Bun.spawn([...bun, join(checkout, "examples/library.ts")], {
    cwd: place.project,
    env: place.env,
    stdout: "pipe",
    stderr: "pipe",
    timeout: 15_000,
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect(stderr).toBe("");
  expect(stdout).toContain("hello.yaml is valid");
  expect(stdout).toContain("hello completed in");
  expect(stdout).toContain("the clerk says: I am asking our expert.");
  expect(stdout).toContain("and then: @user We are open from 10 to 6.");
}, 20_000);
