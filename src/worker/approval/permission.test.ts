import { describe, expect, test } from "bun:test";
import { hashArguments } from "../../system/canonical-json.ts";
import type { PermissionPromptResult } from "../../protocol/tools/people.ts";
import { type Context, Refused } from "../context.ts";
import { askPermission } from "./permission.ts";

const { signal } = new AbortController();
const args = { command: "make" };

/** A daemon that gives these answers, one for each call; an error is a connection that breaks. */
function daemon(...answers: (PermissionPromptResult | Error)[]) {
  const calls: Record<string, unknown>[] = [];
  const context: Context = {
    async callTool(_, given) {
      calls.push(given);
      const answer = answers[calls.length - 1];
      if (answer instanceof Error) throw answer;
      return { ok: true, text: "", structured: answer };
    },
    listTools: async () => [],
    useToken: () => undefined,
  };
  return { context, calls };
}

function allow(updatedInput: Record<string, unknown>, hash = hashArguments(updatedInput)): PermissionPromptResult {
  return { behavior: "allow", updatedInput, hash };
}

describe("a permission", () => {
  test("is asked for with the tool, its arguments, the folder and the reason", async () => {
    const { context, calls } = daemon(allow(args));
    const permission = await askPermission(context, { tool: "bash", args, cwd: "/here", why: "to build" }, signal);
    expect(permission).toEqual({ allowed: true, args });
    expect(calls).toEqual([
      { tool_name: "bash", input: args, tool_use_id: expect.any(String), cwd: "/here", why: "to build", ask: true },
    ]);
  });

  test("is asked for with the tool's schema, unless that is too long", async () => {
    const { context, calls } = daemon(allow(args), allow(args));
    const [short, long] = [{ type: "object" }, { type: "object", description: "x".repeat(20_000) }];
    for (const inputSchema of [short, long]) await askPermission(context, { tool: "bash", args, inputSchema }, signal);
    expect(calls.map((call) => call["input_schema"])).toEqual([short, undefined]);
  });

  test("may come with other arguments, if it is bound to them", async () => {
    const edited = { command: "make -n" };
    expect(await askPermission(daemon(allow(edited)).context, { tool: "bash", args }, signal)).toEqual({
      allowed: true,
      args: edited,
    });
    const forged = daemon(allow(edited, hashArguments(args)));
    expect(await askPermission(forged.context, { tool: "bash", args }, signal)).toMatchObject({ allowed: false });
  });

  test("that is denied says why", async () => {
    const { context } = daemon({ behavior: "deny", message: "not today" });
    expect(await askPermission(context, { tool: "bash", args }, signal)).toEqual({
      allowed: false,
      message: "not today",
    });
  });

  test("is asked for again under the same name when the connection breaks", async () => {
    const { context, calls } = daemon(new Error("ECONNRESET"), new Error("ECONNRESET"), allow(args));
    expect(await askPermission(context, { tool: "bash", args }, signal)).toMatchObject({ allowed: true });
    expect(new Set(calls.map((call) => call["tool_use_id"])).size).toBe(1);
    expect(calls).toHaveLength(3);
  });

  test("is not asked for again when the daemon refuses, or the turn is stopped", async () => {
    const refusing = daemon(new Refused("the turn has ended"), allow(args));
    await expect(askPermission(refusing.context, { tool: "bash", args }, signal)).rejects.toThrow("has ended");
    const stopped = daemon(new Error("aborted"), allow(args));
    await expect(askPermission(stopped.context, { tool: "bash", args }, AbortSignal.abort())).rejects.toThrow();
    expect([refusing.calls.length, stopped.calls.length]).toEqual([1, 1]);
  });
});
