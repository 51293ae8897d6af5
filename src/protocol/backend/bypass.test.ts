import { expect, test } from "bun:test";
import type { BackendName } from "./backend-name.ts";
import { bypassIn } from "./bypass.ts";

test.each([
  ["codex", ["--dangerously-bypass-approvals-and-sandbox"]],
  ["codex", ["--sandbox", "workspace-write"]],
  ["codex", ["--sandbox=danger-full-access"]],
  ["codex", ["-sworkspace-write"]],
  ["codex", ["-c", "sandbox_mode=danger-full-access"]],
  ["claude", ["--dangerously-skip-permissions"]],
  ["claude", ["--permission-mode", "bypassPermissions"]],
  ["cursor", ["--force"]],
] as [BackendName, string[]][])("%s cannot be combined with approvals: %j", (backend, args) => {
  expect(bypassIn(backend, ["program", ...args])).toBe(args[0] ?? "");
});

test.each([
  ["codex", []],
  ["codex", ["-s", "read-only"]],
  ["codex", ["--sandbox=read-only", "--search", "-c", "model_reasoning_effort=high"]],
  ["claude", ["--permission-mode=plan"]],
  ["opencode", ["--yolo"]],
] as [BackendName, string[]][])("%s can have flags that bypass nothing: %j", (backend, args) => {
  expect(bypassIn(backend, ["program", ...args])).toBeUndefined();
});

test("a program can have the name of a flag", () => {
  expect(bypassIn("codex", ["--yolo"])).toBeUndefined();
  expect(bypassIn("codex", undefined)).toBeUndefined();
});
