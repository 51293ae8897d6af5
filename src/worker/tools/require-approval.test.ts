import { describe, expect, test } from "bun:test";
import type { ApprovalPolicy } from "../../workflow/approval-policy.ts";
import type { Permission, PermissionRequest } from "../approval/permission.ts";
import { requireApproval } from "./require-approval.ts";
import type { Tool } from "./tool.ts";

const { signal } = new AbortController();

/** A tool that requires approval, its calls, and what a person was asked. */
function setUp(policy: ApprovalPolicy | undefined, permission: Permission = { allowed: false, message: "no" }) {
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
  const [gated] = requireApproval([bash], { policy, cwd: "/here", ask });
  return { run: (args: unknown) => gated!.run(args, { signal }), ran, asked };
}

describe("a local tool", () => {
  test("runs without asking if there is no policy", async () => {
    const { run, ran, asked } = setUp(undefined);
    expect(await run({ command: "make" })).toEqual({ ok: true, text: "ran" });
    expect([ran, asked]).toEqual([[{ command: "make" }], []]);
  });

  test("asks a person and runs with the arguments they approve", async () => {
    const { run, ran, asked } = setUp({ bash: "ask" }, { allowed: true, args: { command: "make -n" } });
    await run({ command: "make" });
    expect(asked).toEqual([{ tool: "bash", args: { command: "make" }, inputSchema: { type: "object" }, cwd: "/here" }]);
    expect(ran).toEqual([{ command: "make -n" }]);
  });

  test("does not run when a person or the policy denies it, which is not a failure", async () => {
    for (const mode of ["ask", "deny"] as const) {
      const { run, ran } = setUp({ bash: mode });
      expect(await run({ command: "make" })).toMatchObject({ ok: false, denied: true });
      expect(ran).toEqual([]);
    }
  });

  test("gets no arguments, in the question and in the run, if they are not an object", async () => {
    const { run, ran, asked } = setUp({ bash: "ask" }, { allowed: true, args: {} });
    await run("rm -rf /");
    expect([asked[0]?.args, ran]).toEqual([{}, [{}]]);
  });
});
