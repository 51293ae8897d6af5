import { describe, expect, test } from "bun:test";
import type { ApprovalPolicy } from "../../workflow/approval-policy.ts";
import type { Permission, PermissionRequest } from "../approval/permission.ts";
import { gateTools } from "./gate.ts";
import type { Tool } from "./tool.ts";

const { signal } = new AbortController();

/** A tool behind the gate, what it was run with, and what was asked. */
function stage(policy: ApprovalPolicy | undefined, permission: Permission = { allowed: false, message: "no" }) {
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
  const [gated] = gateTools([bash], { policy, cwd: "/here", ask });
  return { run: (args: unknown) => gated!.run(args, { signal }), ran, asked };
}

describe("before a local tool", () => {
  test("asks nothing if the approval policy does not say so", async () => {
    const { run, ran, asked } = stage(undefined);
    expect(await run({ command: "make" })).toEqual({ ok: true, text: "ran" });
    expect([ran, asked]).toEqual([[{ command: "make" }], []]);
  });

  test("a person is asked, and what they allow is what is run", async () => {
    const { run, ran, asked } = stage({ bash: "ask" }, { allowed: true, args: { command: "make -n" } });
    await run({ command: "make" });
    expect(asked).toEqual([{ tool: "bash", args: { command: "make" }, inputSchema: { type: "object" }, cwd: "/here" }]);
    expect(ran).toEqual([{ command: "make -n" }]);
  });

  test("a denial, by a person or by the approval policy, runs nothing and is not a failure", async () => {
    for (const mode of ["ask", "deny"] as const) {
      const { run, ran } = stage({ bash: mode });
      expect(await run({ command: "make" })).toMatchObject({ ok: false, denied: true });
      expect(ran).toEqual([]);
    }
  });

  test("what is no object has no arguments, in the question as in the run", async () => {
    const { run, ran, asked } = stage({ bash: "ask" }, { allowed: true, args: {} });
    await run("rm -rf /");
    expect([asked[0]?.args, ran]).toEqual([{}, [{}]]);
  });
});
