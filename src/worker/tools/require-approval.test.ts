import { describe, expect, test } from "bun:test";
import type { ApprovalRules } from "../../workflow/approval-rules.ts";
import type { Permission, PermissionRequest } from "../approval/permission.ts";
import { requireApproval } from "./require-approval.ts";
import type { Tool } from "./tool.ts";

const { signal } = new AbortController();

/** A tool behind the gate, what it was run with, and what was asked. */
function setUp(rules: ApprovalRules | undefined, permission: Permission = { allowed: false, message: "no" }) {
  const ran: unknown[] = [];
  const asked: PermissionRequest[] = [];
  const bash: Tool = {
    name: "bash",
    description: "",
    inputSchema: { type: "object" },
    async run(args) {
      ran.push(args);
      return { ok: true, text: "ran" };
    },
  };
  const ask = async (request: PermissionRequest) => {
    asked.push(request);
    return permission;
  };
  const [gated] = requireApproval([bash], { rules, cwd: "/here", ask });
  return { run: (args: unknown) => gated!.run(args, { signal }), ran, asked };
}

describe("before a local tool", () => {
  test("nothing is asked where no rule says so", async () => {
    const { run, ran, asked } = setUp(undefined);
    expect(await run({ command: "make" })).toEqual({ ok: true, text: "ran" });
    expect([ran, asked]).toEqual([[{ command: "make" }], []]);
  });

  test("a person is asked, and what they allow is what is run", async () => {
    const { run, ran, asked } = setUp({ bash: "ask" }, { allowed: true, args: { command: "make -n" } });
    await run({ command: "make" });
    expect(asked).toEqual([{ tool: "bash", args: { command: "make" }, inputSchema: { type: "object" }, cwd: "/here" }]);
    expect(ran).toEqual([{ command: "make -n" }]);
  });

  test("a no, of a person or of a rule, runs nothing and is no failure", async () => {
    for (const rule of ["ask", "deny"] as const) {
      const { run, ran } = setUp({ bash: rule });
      expect(await run({ command: "make" })).toMatchObject({ ok: false, denied: true });
      expect(ran).toEqual([]);
    }
  });

  test("what is no object has no arguments, in the question as in the run", async () => {
    const { run, ran, asked } = setUp({ bash: "ask" }, { allowed: true, args: {} });
    await run("rm -rf /");
    expect([asked[0]?.args, ran]).toEqual([{}, [{}]]);
  });
});
