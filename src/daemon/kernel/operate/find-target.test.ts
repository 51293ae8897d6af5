import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { AppError } from "../../../protocol/error.ts";
import { openSqliteStore } from "../../store/sqlite/sqlite-store.ts";
import type { Store } from "../../store/store.ts";
import { findTarget, recentInstances } from "./find-target.ts";

let store: Store;
beforeEach(() => {
  store = openSqliteStore({ path: ":memory:", now: () => 1, random: Math.random });
});
afterEach(() => store.close());

async function open(name: string, project: string, tag = "main"): Promise<string> {
  const definition = { name, agents: { Reviewer: {}, coder: {} } };
  return (await store.openRun({ definition, tag, project, dir: project, mode: "start", fresh: false })).instance.id;
}

async function refusal(target: string, origin = {}): Promise<AppError> {
  return findTarget({ store }, target, origin).then(
    () => {
      throw new Error(`${target} was found`);
    },
    (error: unknown) => {
      if (error instanceof AppError) return error;
      throw error;
    },
  );
}

describe("a workflow", () => {
  test("is the one in the current folder", async () => {
    await open("review", "/a");
    const there = await open("review", "/b");
    expect((await findTarget({ store }, "@review", { cwd: "/b" })).instance.id).toBe(there);
  });

  test("is found from a subfolder of its project, the innermost first", async () => {
    await open("review", "/a");
    const inner = await open("review", "/a/b");
    expect((await findTarget({ store }, "@review", { cwd: "/a/b/c" })).instance.id).toBe(inner);
  });

  test("is not confused with a folder whose name has the same prefix", async () => {
    await open("review", "/a");
    const other = await open("review", "/ab");
    expect((await findTarget({ store }, "@review", { cwd: "/ab" })).instance.id).toBe(other);
  });

  test("is, in any other folder, the only one with its name", async () => {
    const only = await open("review", "/a");
    expect((await findTarget({ store }, "@review", { cwd: "/elsewhere" })).instance.id).toBe(only);
  });

  test("that exists in several folders is an error that lists them", async () => {
    await open("review", "/a");
    await open("review", "/b");
    const { code, message, actions } = await refusal("@review", { cwd: "/elsewhere" });
    expect(code).toBe("ambiguous-target");
    expect(message).toContain("/a, /b");
    expect(actions).toEqual([{ do: "choose-project", projects: ["/a", "/b"] }]);
  });

  test("is distinguished by its tag", async () => {
    await open("review", "/a");
    const tagged = await open("review", "/a", "pr-1");
    expect((await findTarget({ store }, "@review:pr-1", { cwd: "/a" })).instance.id).toBe(tagged);
  });

  test("is only looked up in the given project", async () => {
    await open("review", "/a");
    expect((await refusal("@review", { project: "/b" })).hint).toContain("/a");
  });

  test("that is unknown is an error with the nearest name", async () => {
    await open("review", "/a");
    expect((await refusal("@reveiw")).hint).toBe("did you mean @review?");
  });
});

test("an overview includes running instances and a limited number of the latest others", async () => {
  const first = await open("first", "/a");
  const [, ended] = [await open("second", "/a"), await open("ended", "/a")];
  await store.endRun(ended, { status: "stopped", exitCode: 0, reason: null });
  for (let n = 0; n < 48; n++) await open(`more-${n}`, "/a");
  expect((await recentInstances({ store })).map(({ id }) => id)).toContain(first);
  expect(await recentInstances({ store })).toHaveLength(50);
  expect((await recentInstances({ store })).map(({ id }) => id)).not.toContain(ended);
});

describe("an agent", () => {
  test("is found ignoring case, and returned in its own spelling", async () => {
    await open("review", "/a");
    expect((await findTarget({ store }, "reviewer@review", {})).agent).toBe("Reviewer");
  });

  test("that is unknown is an error with the nearest name and all names", async () => {
    await open("review", "/a");
    const { message, hint } = await refusal("codr@review");
    expect(message).toContain("Reviewer, coder");
    expect(hint).toBe("did you mean coder@review?");
  });

  test("that is standalone must be created first", async () => {
    expect((await refusal("alice")).actions).toEqual([{ do: "create-agent", name: "alice" }]);
  });
});
