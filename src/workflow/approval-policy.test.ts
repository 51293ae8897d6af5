import { describe, expect, test } from "bun:test";
import {
  type ApprovalPolicy,
  decideCall,
  modeFor,
  policyEntryProblem,
  type Subject,
  toolOfPolicyEntry,
} from "./approval-policy.ts";

function bash(policy: ApprovalPolicy, command: string) {
  return decideCall(policy, { tool: "bash", args: { command } });
}

describe("an approval policy", () => {
  test("allows a call that no entry matches", () => {
    expect(decideCall(undefined, { tool: "bash", args: {} })).toBe("auto");
    expect(decideCall({ write_file: "ask" }, { tool: "bash", args: {} })).toBe("auto");
  });

  test("prefers the tool's name, case-insensitive, over `*`", () => {
    const policy: ApprovalPolicy = { "*": "deny", bash: "ask", "github_*": "auto", "github_d*": "ask" };
    const of = (tool: string) => decideCall(policy, { tool, args: {} });
    expect([of("bash"), of("Bash"), of("read_file"), of("github_list")]).toEqual(["ask", "ask", "deny", "deny"]);
    expect(decideCall({ "github_*": "auto", "github_d*": "ask" }, { tool: "github_delete", args: {} })).toBe("ask");
  });

  test("prefers entries about calls over the tool's, and the strictest of those that match", () => {
    const policy: ApprovalPolicy = { bash: "ask", "bash(git *)": "auto", "bash(git push*)": "deny" };
    expect(bash(policy, "git status")).toBe("auto");
    expect(bash(policy, "git")).toBe("auto");
    expect(bash(policy, "git push --force")).toBe("deny");
    expect(bash(policy, "make")).toBe("ask");
    expect(bash(policy, "gitk")).toBe("ask");
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
  ])("does not allow a compound command because its beginning matches: %j", (command) => {
    expect(bash({ bash: "ask", "bash(git *)": "auto" }, command)).toBe("ask");
  });

  test.each(["cd x && git push", "true; git push -f", "(git push)", "echo `git push`", "x=$(git push)", " git push"])(
    "finds a denied command inside a longer one: %j",
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
  ])("finds a denied command behind shell keywords and assignments: %j", (command) => {
    expect(bash({ "bash(rm -rf*)": "deny" }, command)).toBe("deny");
    expect(bash({ bash: "ask", "bash(rm -rf*)": "auto" }, command)).toBe("ask");
  });

  test.each([
    "git  push",
    "git\tpush origin",
    "git \\\n push",
    "gi\\\nt push",
    "timeout 5 git push",
    "timeout -s KILL 5s nice -n 5 git push",
    "/usr/bin/git push",
    "../../bin/git push",
    "env X=1 git push",
    "env -i -u Y X=1 /bin/git push",
    "env -S 'git push'",
    "command git push",
    "exec git push",
    "time -p git push",
    "sudo -u me git push",
    "git -C . push",
    "git --no-pager -c a=b push",
    "git --git-dir=.git push",
    `sh -c "git push"`,
    `bash -ec 'true; git  push'`,
    `timeout 5 sh -c "sh -c 'git push'"`,
    "eval git push",
    `eval "git" "push"`,
    `g""it push`,
    `'git' "push"`,
    "g\\it pu\\sh",
    "$(echo git) push",
    "$GIT push",
    "git $(echo push)",
    "git ${x}",
    "$'git' push",
    "git $'push'",
    "/usr/bin/g?t push",
    "{git,push}",
    "git pus[h]",
    "echo push | xargs git",
    "echo git push | sh",
    "sh <<< 'git push'",
    'sh -c "$X"',
    "xargs -a f sh -c 'git push'",
    "find . -exec git push \\;",
    'echo "$(git  push)"',
    "X=$(git  push) true",
    "git 'pu",
  ])("finds a denied command however it is spelled: %j", (command) => {
    expect(bash({ "bash(git push*)": "deny" }, command)).toBe("deny");
    expect(bash({ "bash(git push*)": "ask" }, command)).toBe("ask");
    expect(bash({ "bash(git *)": "auto", "bash(git push*)": "deny" }, command)).toBe("deny");
  });

  test.each([
    "git status",
    "git -C . status",
    "git log --grep push",
    "echo git push",
    `echo "git push"`,
    "grep -r 'git push' .",
    "ls $HOME/x *.ts",
    "npm run build -- $X",
    "timeout 5 make test",
    "sh build.sh $X",
    `sh -c "make test"`,
    "git status | grep x",
    "X=$Y make",
    "cat <<EOF\nit's fine\nEOF",
  ])("does not find it in another one: %j", (command) => {
    expect(bash({ "bash(git push*)": "deny" }, command)).toBe("auto");
  });

  test.each(["sudo ", "sh -c ", "$(", "-a ", "env x=1 ", "'", "{a,", "eval '"])(
    "searches a command of %j in bounded time",
    (piece) => {
      const started = performance.now();
      bash({ "bash(git push*)": "deny" }, piece.repeat(100_000 / piece.length));
      expect(performance.now() - started).toBeLessThan(3_000);
    },
  );

  test("normalizes paths before it matches them", () => {
    const policy: ApprovalPolicy = { write_file: "ask", "write_file(src/*)": "auto" };
    const write = (path: string) => decideCall(policy, { tool: "write_file", args: { path, content: "" } });
    const inside = ["src/a.ts", "./src/a/b.ts", "src//a.ts", "a/../src/b.ts"];
    const outside = ["src/../.env", "/etc/passwd", "src/../../src/x", "../src/x", "/src/x"];
    expect(inside.map(write)).toEqual(inside.map(() => "auto"));
    expect(outside.map(write)).toEqual(outside.map(() => "ask"));
  });

  test("matches only the argument that the tool acts on", () => {
    const policy: ApprovalPolicy = { write_file: "ask", "write_file(src/*)": "auto", "read_file(.env)": "deny" };
    const of = (tool: string, args: Record<string, unknown>) => decideCall(policy, { tool, args });
    expect(of("write_file", { command: "src/x", path: ".env2", content: "" })).toBe("ask");
    expect(of("write_file", { file_path: "src/x", path: ".env2", content: "" })).toBe("ask");
    expect(of("read_file", { command: "zz", path: ".env" })).toBe("deny");
    expect(bash({ "bash(rm*)": "deny" }, "rm x")).toBe("deny");
    expect(decideCall({ "bash(rm*)": "deny" }, { tool: "bash", args: { path: "x", command: "rm x" } })).toBe("deny");
  });

  test("matches all arguments of any other tool, whatever their names", () => {
    const policy: ApprovalPolicy = { s_exec: "ask", "s_exec(ls*)": "auto", 's_exec({"command":"ls"})': "auto" };
    const of = (args: Record<string, unknown>) => decideCall(policy, { tool: "s_exec", args });
    expect(of({ command: "ls", args: ["-la; rm -rf x"] })).toBe("ask");
    expect(of({ command: "ls" })).toBe("auto");
  });

  test("allows a call only if every resolved subject matches, and denies it if any spelling of one does", () => {
    const policy: ApprovalPolicy = { write_file: "ask", "write_file(src/*)": "auto", "write_file(src/.env)": "deny" };
    const of = (...subjects: Subject[]) =>
      decideCall(policy, { tool: "write_file", args: { path: "src/a" }, subjects });
    expect(of({ resolved: ["src/a"], asGiven: ["x"] })).toBe("auto");
    expect(of({ resolved: ["x"], asGiven: ["src/a"] })).toBe("ask");
    expect(of({ resolved: ["src/a"], asGiven: [] }, { resolved: ["b"], asGiven: [] })).toBe("ask");
    expect(of({ resolved: ["src/secret"], asGiven: ["src/.env"] })).toBe("deny");
  });

  test("considers every name of a tool, the strictest mode first, and `*` only if no name has an entry", () => {
    const of = (policy: ApprovalPolicy) =>
      modeFor(policy, { tool: "Edit", also: ["edit_file", "write_file"], args: { file_path: "src/a" } });
    expect(of({ Edit: "auto", write_file: "deny" })).toBe("deny");
    expect(of({ "edit_file(src/*)": "auto", write_file: "ask" })).toBe("ask");
    expect(of({ "edit_file(src/*)": "ask" })).toBe("ask");
    expect(of({ "*": "ask", edit_file: "auto" })).toBe("auto");
    expect(of({ "*": "ask", Write: "auto" })).toBe("ask");
    expect(of({ bash: "ask" })).toBeUndefined();
  });

  test("does not allow a call whose subject is missing from its arguments", () => {
    const policy: ApprovalPolicy = { "bash(rm*)": "deny", "bash(*)": "auto" };
    expect(decideCall(policy, { tool: "bash", args: { command: ["ls"] } })).toBe("deny");
    expect(decideCall({ bash: "ask", "bash(*)": "auto" }, { tool: "bash", args: {} })).toBe("ask");
  });

  test("matches all arguments of a tool that has neither command nor path", () => {
    const policy: ApprovalPolicy = { 'mail(*"to":"boss"*)': "ask" };
    expect(decideCall(policy, { tool: "mail", args: { to: "boss", a: 1 } })).toBe("ask");
    expect(decideCall(policy, { tool: "mail", args: { to: "me" } })).toBe("auto");
  });

  test("treats every character but `*` literally", () => {
    expect(bash({ "bash(a.b [c] $d ^e)": "deny" }, "a.b [c] $d ^e")).toBe("deny");
    expect(bash({ "bash(a.b)": "deny" }, "axb")).toBe("auto");
    expect(bash({ "bash(ab*ba)": "deny" }, "aba")).toBe("auto");
    expect(bash({ "bash(a*b*c*b*d)": "deny" }, "abbcbbd")).toBe("deny");
  });
});

test("a policy entry is a tool name, optionally with a pattern of calls", () => {
  for (const entry of ["bash", "*", "bash(git push*)", "mcp__github__*", "bash((a))"])
    expect(policyEntryProblem(entry)).toBeUndefined();
  for (const entry of ["", "bash(", "bash()", "two words", "bash(x", "(x)"])
    expect(policyEntryProblem(entry)).toContain("not a policy entry");
  expect([toolOfPolicyEntry("bash(git*)"), toolOfPolicyEntry("*"), toolOfPolicyEntry("write_file")]).toEqual([
    "bash",
    undefined,
    "write_file",
  ]);
});
