import { describe, expect, test } from "bun:test";
import { hashArguments } from "../../system/canonical-json.ts";
import type { PermissionPromptResult } from "../../protocol/tools/people.ts";
import { type DaemonTools, CallRefused } from "../daemon-tools.ts";
import { askPermission } from "./permission.ts";

const { signal } = new AbortController();
const args = { command: "make" };

/** A daemon that returns these answers, one per call; an error is a broken connection. */
function daemon(...answers: (PermissionPromptResult | Error)[]) {
  const calls: Record<string, unknown>[] = [];
  const daemonTools: DaemonTools = {
    async callTool(_, given) {
      calls.push(given);
      const answer = answers[calls.length - 1];
      if (answer instanceof Error) throw answer;
      return { ok: true, text: "", structured: answer };
    },
    listTools: async () => [],
    useToken: () => undefined,
  };
  return { daemonTools, calls };
}

function allow(updatedInput: Record<string, unknown>, hash = hashArguments(updatedInput)): PermissionPromptResult {
  return { behavior: "allow", updatedInput, hash };
}

describe("a permission request", () => {
  test("contains the tool, its arguments, the folder and the reason", async () => {
    const { daemonTools, calls } = daemon(allow(args));
    const permission = await askPermission(daemonTools, { tool: "bash", args, cwd: "/here", why: "to build" }, signal);
    expect(permission).toEqual({ allowed: true, args });
    expect(calls).toEqual([
      { tool_name: "bash", input: args, tool_use_id: expect.any(String), cwd: "/here", why: "to build", ask: true },
    ]);
  });

  test("contains the tool's schema, unless it is too long", async () => {
    const { daemonTools, calls } = daemon(allow(args), allow(args));
    const [short, long] = [{ type: "object" }, { type: "object", description: "x".repeat(20_000) }];
    for (const inputSchema of [short, long])
      await askPermission(daemonTools, { tool: "bash", args, inputSchema }, signal);
    expect(calls.map((call) => call["input_schema"])).toEqual([short, undefined]);
  });

  test("can be approved with other arguments, if the hash matches them", async () => {
    const edited = { command: "make -n" };
    expect(await askPermission(daemon(allow(edited)).daemonTools, { tool: "bash", args }, signal)).toEqual({
      allowed: true,
      args: edited,
    });
    const forged = daemon(allow(edited, hashArguments(args)));
    expect(await askPermission(forged.daemonTools, { tool: "bash", args }, signal)).toMatchObject({ allowed: false });
  });

  test("reports the reason for a denial", async () => {
    const { daemonTools } = daemon({ behavior: "deny", message: "not today" });
    expect(await askPermission(daemonTools, { tool: "bash", args }, signal)).toEqual({
      allowed: false,
      message: "not today",
    });
  });

  test("is repeated with the same id when the connection breaks", async () => {
    const { daemonTools, calls } = daemon(new Error("ECONNRESET"), new Error("ECONNRESET"), allow(args));
    expect(await askPermission(daemonTools, { tool: "bash", args }, signal)).toMatchObject({ allowed: true });
    expect(new Set(calls.map((call) => call["tool_use_id"])).size).toBe(1);
    expect(calls).toHaveLength(3);
  });

  test("is not repeated when the daemon refuses it or the turn is stopped", async () => {
    const refusing = daemon(new CallRefused("the turn has ended"), allow(args));
    await expect(askPermission(refusing.daemonTools, { tool: "bash", args }, signal)).rejects.toThrow("has ended");
    const stopped = daemon(new Error("aborted"), allow(args));
    await expect(askPermission(stopped.daemonTools, { tool: "bash", args }, AbortSignal.abort())).rejects.toThrow();
    expect([refusing.calls.length, stopped.calls.length]).toEqual([1, 1]);
  });
});
