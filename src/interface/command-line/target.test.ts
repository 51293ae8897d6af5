import { innermost } from "../../protocol/target.ts";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clearDefaultTarget, readDefaultTarget, workflowOf, writeDefaultTarget, explicitTarget } from "./target.ts";

describe("an explicit target", () => {
  test("is the argument or --to", () => {
    const expected = { agent: "coder", workflow: "review", tag: "main" };
    expect(explicitTarget("coder@review", undefined, undefined)).toEqual(expected);
    expect(explicitTarget(undefined, "coder@review", undefined)).toEqual(expected);
    expect(explicitTarget("coder@review", "coder@review", undefined)).toEqual(expected);
  });

  test("cannot be given twice", () => {
    expect(() => explicitTarget("coder@review", "alice", undefined)).toThrow("two targets");
  });

  test("takes its tag from --tag", () => {
    expect(explicitTarget("@review", undefined, "pr-1")).toEqual({ workflow: "review", tag: "pr-1" });
    expect(explicitTarget("@review:pr-1", undefined, "pr-1")).toEqual({ workflow: "review", tag: "pr-1" });
  });

  test("has only one tag", () => {
    expect(() => explicitTarget("@review:pr-1", undefined, "pr-2")).toThrow("two tags");
  });

  test("can be missing", () => {
    expect(explicitTarget(undefined, undefined, "pr-1")).toBeUndefined();
  });

  test("gives the workflow of an agent", () => {
    expect(workflowOf({ agent: "coder", workflow: "review", tag: "pr-1" })).toBe("@review:pr-1");
    expect(workflowOf({ agent: "alice", workflow: "global", tag: "main" })).toBe("@global");
  });
});

describe("workflows around a folder", () => {
  const outer = { project: "/code" };
  const inner = { project: "/code/shop" };

  test("are those of the innermost project", () => {
    expect(innermost([outer, inner], "/code/shop/src")).toEqual([inner]);
    expect(innermost([outer, inner], "/code/docs")).toEqual([outer]);
  });

  test("are none elsewhere, even if a folder name has the same prefix", () => {
    expect(innermost([inner], "/code/shopping")).toEqual([]);
    expect(innermost([{ project: "" }], "/home")).toEqual([]);
  });
});

describe("the default target", () => {
  let home = "";
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "aw-target-"));
  });
  afterEach(() => rmSync(home, { recursive: true }));

  test("is remembered until it is cleared", () => {
    expect(readDefaultTarget(home)).toBeUndefined();
    writeDefaultTarget(home, "@review");
    expect(readDefaultTarget(home)).toBe("@review");
    clearDefaultTarget(home);
    clearDefaultTarget(home);
    expect(readDefaultTarget(home)).toBeUndefined();
  });
});
