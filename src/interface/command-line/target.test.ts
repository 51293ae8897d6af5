import { innermost } from "../../protocol/target.ts";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clearDefaultTarget, readDefaultTarget, workflowOf, writeDefaultTarget, writtenTarget } from "./target.ts";

describe("a written target", () => {
  test("is the argument or --to", () => {
    const expected = { agent: "coder", workflow: "review", tag: "main" };
    expect(writtenTarget("coder@review", undefined, undefined)).toEqual(expected);
    expect(writtenTarget(undefined, "coder@review", undefined)).toEqual(expected);
    expect(writtenTarget("coder@review", "coder@review", undefined)).toEqual(expected);
  });

  test("is not given twice", () => {
    expect(() => writtenTarget("coder@review", "alice", undefined)).toThrow("two targets");
  });

  test("takes its tag from --tag", () => {
    expect(writtenTarget("@review", undefined, "pr-1")).toEqual({ workflow: "review", tag: "pr-1" });
    expect(writtenTarget("@review:pr-1", undefined, "pr-1")).toEqual({ workflow: "review", tag: "pr-1" });
  });

  test("has one tag only", () => {
    expect(() => writtenTarget("@review:pr-1", undefined, "pr-2")).toThrow("two tags");
  });

  test("may be missing", () => {
    expect(writtenTarget(undefined, undefined, "pr-1")).toBeUndefined();
  });

  test("names the workflow that an agent is in", () => {
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

  test("are none elsewhere, also where a name only begins alike", () => {
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
