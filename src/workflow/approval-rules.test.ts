import { describe, expect, test } from "bun:test";
import { type ApprovalRules, decideCall, ruleFor, ruleProblem, type Subject, toolOfRule } from "./approval-rules.ts";

function bash(rules: ApprovalRules, command: string) {
  return decideCall(rules, { tool: "bash", args: { command } });
}

describe("an agent's approval rules", () => {
  test("let through what none of them speaks of", () => {
    expect(decideCall(undefined, { tool: "bash", args: {} })).toBe("auto");
    expect(decideCall({ write_file: "ask" }, { tool: "bash", args: {} })).toBe("auto");
  });

  test("go by the tool's name, without case, before they go by `*`", () => {
    const rules: ApprovalRules = { "*": "deny", bash: "ask", "github_*": "auto", "github_d*": "ask" };
    const of = (tool: string) => decideCall(rules, { tool, args: {} });
    expect([of("bash"), of("Bash"), of("read_file"), of("github_list")]).toEqual(["ask", "ask", "deny", "deny"]);
    expect(decideCall({ "github_*": "auto", "github_d*": "ask" }, { tool: "github_delete", args: {} })).toBe("ask");
  });

  test("go by the call before the tool, and of those that fit the strictest holds", () => {
    const rules: ApprovalRules = { bash: "ask", "bash(git *)": "auto", "bash(git push*)": "deny" };
    expect(bash(rules, "git status")).toBe("auto");
    expect(bash(rules, "git")).toBe("auto");
    expect(bash(rules, "git push --force")).toBe("deny");
    expect(bash(rules, "make")).toBe("ask");
    expect(bash(rules, "gitk")).toBe("ask");
  });

  test.each([
    "git status; rm -rf /",
    "git status && make",
    "git log | sh",
    "git status\nrm x",
    "git log $(rm x)",
    "git log `rm x`",
    "git log > /etc/passwd",
    "git log <(rm x)",
    "git status & rm x",
    "git log ${x}",
    "git status \\\nrm",
  ])("do not let a command through for its beginning: %j", (command) => {
    expect(bash({ bash: "ask", "bash(git *)": "auto" }, command)).toBe("ask");
  });

  test.each(["cd x && git push", "true; git push -f", "(git push)", "echo `git push`", "x=$(git push)", " git push"])(
    "find what they hold back inside a longer command: %j",
    (command) => {
      expect(bash({ "bash(git push*)": "deny" }, command)).toBe("deny");
    },
  );

  test.each([
    "if true; then rm -rf x; fi",
    "if rm -rf x; then true; fi",
    "for a in b; do rm -rf x; done",
    "while ! rm -rf x; do true; done",
    "! rm -rf x",
    "time rm -rf x",
    "FOO=1 rm -rf x",
    `FOO="a b" BAR='c d' rm -rf x`,
    "true || FOO= rm -rf x",
    "{ rm -rf x; }",
  ])("find what they hold back behind the shell's own words: %j", (command) => {
    expect(bash({ "bash(rm -rf*)": "deny" }, command)).toBe("deny");
    expect(bash({ bash: "ask", "bash(rm -rf*)": "auto" }, command)).toBe("ask");
  });

  test("see a path as it will be followed", () => {
    const rules: ApprovalRules = { write_file: "ask", "write_file(src/*)": "auto" };
    const write = (path: string) => decideCall(rules, { tool: "write_file", args: { path, content: "" } });
    const inside = ["src/a.ts", "./src/a/b.ts", "src//a.ts", "a/../src/b.ts"];
    const outside = ["src/../.env", "/etc/passwd", "src/../../src/x", "../src/x", "/src/x"];
    expect(inside.map(write)).toEqual(inside.map(() => "auto"));
    expect(outside.map(write)).toEqual(outside.map(() => "ask"));
  });

  test("see the one argument that a tool acts on, and no other that stands beside it", () => {
    const rules: ApprovalRules = { write_file: "ask", "write_file(src/*)": "auto", "read_file(.env)": "deny" };
    const of = (tool: string, args: Record<string, unknown>) => decideCall(rules, { tool, args });
    expect(of("write_file", { command: "src/x", path: ".env2", content: "" })).toBe("ask");
    expect(of("write_file", { file_path: "src/x", path: ".env2", content: "" })).toBe("ask");
    expect(of("read_file", { command: "zz", path: ".env" })).toBe("deny");
    expect(bash({ "bash(rm*)": "deny" }, "rm x")).toBe("deny");
    expect(decideCall({ "bash(rm*)": "deny" }, { tool: "bash", args: { path: "x", command: "rm x" } })).toBe("deny");
  });

  test("see all arguments of every other tool, whatever they are called", () => {
    const rules: ApprovalRules = { s_exec: "ask", "s_exec(ls*)": "auto", 's_exec({"command":"ls"})': "auto" };
    const of = (args: Record<string, unknown>) => decideCall(rules, { tool: "s_exec", args });
    expect(of({ command: "ls", args: ["-la; rm -rf x"] })).toBe("ask");
    expect(of({ command: "ls" })).toBe("auto");
  });

  test("let through what all subjects of a call are, and hold back what one of them was called", () => {
    const rules: ApprovalRules = { write_file: "ask", "write_file(src/*)": "auto", "write_file(src/.env)": "deny" };
    const of = (...subjects: Subject[]) => decideCall(rules, { tool: "write_file", args: { path: "src/a" }, subjects });
    expect(of({ is: ["src/a"], said: ["x"] })).toBe("auto");
    expect(of({ is: ["x"], said: ["src/a"] })).toBe("ask");
    expect(of({ is: ["src/a"], said: [] }, { is: ["b"], said: [] })).toBe("ask");
    expect(of({ is: ["src/secret"], said: ["src/.env"] })).toBe("deny");
  });

  test("go by every name of a tool, the strictest first, and by `*` for none that has a rule", () => {
    const of = (rules: ApprovalRules) =>
      ruleFor(rules, { tool: "Edit", also: ["edit_file", "write_file"], args: { file_path: "src/a" } });
    expect(of({ Edit: "auto", write_file: "deny" })).toBe("deny");
    expect(of({ "edit_file(src/*)": "auto", write_file: "ask" })).toBe("ask");
    expect(of({ "edit_file(src/*)": "ask" })).toBe("ask");
    expect(of({ "*": "ask", edit_file: "auto" })).toBe("auto");
    expect(of({ "*": "ask", Write: "auto" })).toBe("ask");
    expect(of({ bash: "ask" })).toBeUndefined();
  });

  test("hold back a call whose subject they cannot see", () => {
    const rules: ApprovalRules = { "bash(rm*)": "deny", "bash(*)": "auto" };
    expect(decideCall(rules, { tool: "bash", args: { command: ["ls"] } })).toBe("deny");
    expect(decideCall({ bash: "ask", "bash(*)": "auto" }, { tool: "bash", args: {} })).toBe("ask");
  });

  test("see all arguments of a tool that has neither command nor path", () => {
    const rules: ApprovalRules = { 'mail(*"to":"boss"*)': "ask" };
    expect(decideCall(rules, { tool: "mail", args: { to: "boss", a: 1 } })).toBe("ask");
    expect(decideCall(rules, { tool: "mail", args: { to: "me" } })).toBe("auto");
  });

  test("take every sign but `*` for itself", () => {
    expect(bash({ "bash(a.b [c] $d ^e)": "deny" }, "a.b [c] $d ^e")).toBe("deny");
    expect(bash({ "bash(a.b)": "deny" }, "axb")).toBe("auto");
    expect(bash({ "bash(ab*ba)": "deny" }, "aba")).toBe("auto");
    expect(bash({ "bash(a*b*c*b*d)": "deny" }, "abbcbbd")).toBe("deny");
  });
});

test("a rule has the form of a name, with or without a pattern of calls", () => {
  for (const rule of ["bash", "*", "bash(git push*)", "mcp__github__*", "bash((a))"])
    expect(ruleProblem(rule)).toBeUndefined();
  for (const rule of ["", "bash(", "bash()", "two words", "bash(x", "(x)"]) expect(ruleProblem(rule)).toContain("rule");
  expect([toolOfRule("bash(git*)"), toolOfRule("*"), toolOfRule("write_file")]).toEqual([
    "bash",
    undefined,
    "write_file",
  ]);
});
