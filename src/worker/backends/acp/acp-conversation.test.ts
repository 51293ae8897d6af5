import { describe, expect, test } from "bun:test";
import type { ApprovalPolicy } from "../../../workflow/approval-policy.ts";
import { createAuthorizer } from "../../approval/authorize.ts";
import type { Permission, PermissionRequest } from "../../approval/permission.ts";
import { createConversation } from "./acp-conversation.ts";

const options = [
  { optionId: "yes", kind: "allow_once" },
  { optionId: "no", kind: "reject_once" },
];
const cwd = "/";

/** An agent with this approval policy, and what a person was asked. */
function setUp(policy: ApprovalPolicy, answer: Permission = { allowed: false, message: "no" }) {
  const asked: PermissionRequest[] = [];
  const ask = async (request: PermissionRequest) => {
    asked.push(request);
    return answer;
  };
  const authorize = createAuthorizer({ policy, cwd, ask });
  const conversation = createConversation(new Set(), [], () => {}, {
    authorize: ({ equivalentTo, ...call }) => authorize({ ...call, also: equivalentTo }, AbortSignal.timeout(1_000)),
    cwd,
  });
  const permit = async (toolCall: Parameters<typeof conversation.permit>[0]["toolCall"]): Promise<unknown> => {
    const { outcome } = await conversation.permit({ toolCall, options });
    return "optionId" in outcome ? outcome.optionId : outcome.outcome;
  };
  return { conversation, permit, asked };
}

describe("an ACP agent's permission request", () => {
  test("is decided by its kind, not by its title", async () => {
    const { permit, asked } = setUp({ "bash(rm*)": "deny", "write_file(src/*)": "deny", echo: "auto", bash: "ask" });
    expect(await permit({ kind: "execute", title: "rm -rf x", rawInput: { command: "rm -rf x" } })).toBe("no");
    expect(asked).toEqual([]);
    expect(await permit({ kind: "execute", title: "echo", rawInput: { command: "echo" } })).toBe("no");
    expect(asked).toMatchObject([{ tool: "bash", args: { command: "echo" } }]);
    for (const named of [{ rawInput: { filePath: "/src/a" } }, { locations: [{ path: "/src/a" }] }]) {
      expect(await permit({ kind: "edit", title: "Edit", ...named })).toBe("no");
    }
    expect(await permit({ kind: "edit", title: "Edit", rawInput: { filePath: "/b" } })).toBe("yes");
  });

  test("is decided by earlier updates of the call if it leaves something out", async () => {
    const { conversation, permit } = setUp({ "bash(rm*)": "deny" });
    const call = { toolCallId: "1", kind: "execute", rawInput: { command: "rm x" } };
    conversation.update({ sessionUpdate: "tool_call", ...call });
    expect(await permit({ toolCallId: "1", title: "ls", rawInput: {} })).toBe("no");
    expect(await permit({ toolCallId: "1", rawInput: { command: "ls" } })).toBe("no");
  });

  test("is denied by entries with a pattern if its subject is missing", async () => {
    const { permit } = setUp({ "bash(rm*)": "deny", "read_file(.env)": "deny" });
    expect(await permit({ kind: "execute", title: "ls" })).toBe("no");
    expect(await permit({ kind: "read", title: "a" })).toBe("no");
  });
});

test("an edited approval refuses the original call, is returned once, and allows one edited call", async () => {
  const edited = { command: "make -n" };
  const { conversation, permit, asked } = setUp({ bash: "ask" }, { allowed: true, args: edited });
  expect(await permit({ kind: "execute", rawInput: { command: "make" } })).toBe("no");
  expect(conversation.takeEdits()).toMatchObject([{ tool: "bash", args: edited }]);
  expect(conversation.takeEdits()).toEqual([]);
  expect(await permit({ kind: "execute", rawInput: edited })).toBe("yes");
  expect(asked).toHaveLength(1);
  await permit({ kind: "execute", rawInput: edited });
  expect(asked).toHaveLength(2);
});

test("an edited call is recognized without its description and its current folder", async () => {
  const { permit, asked } = setUp({ bash: "ask" }, { allowed: true, args: { command: "make -n" } });
  await permit({ kind: "execute", rawInput: { command: "make", cwd, description: "Builds" } });
  expect(asked[0]?.args).toEqual({ command: "make", description: "Builds" });
  expect(await permit({ kind: "execute", rawInput: { command: "make -n", cwd, description: "Tries" } })).toBe("yes");
  await permit({ kind: "execute", rawInput: { command: "make" } });
  expect(await permit({ kind: "execute", rawInput: { command: "make -n", cwd: "/elsewhere" } })).toBe("no");
  expect(asked).toHaveLength(3);
});

describe("the cost of an ACP agent's turn", () => {
  const answer = {
    result: { stopReason: "end_turn", usage: { inputTokens: 10, outputTokens: 5, cachedReadTokens: 2 } },
  };

  test.each([
    ["the last cost reported for the session, in dollars", [0.1, 0.25], "USD", 0.25],
    ["unknown if it reports 0", [0], "USD", undefined],
    ["unknown if reported in another unit", [3], "credits", undefined],
  ])("is %s", (_, amounts, currency, cost) => {
    const { conversation } = setUp({});
    for (const amount of amounts) {
      conversation.update({ sessionUpdate: "usage_update", cost: { amount, currency } });
    }
    conversation.observe(answer);
    expect(conversation.usage()).toEqual({
      inputTokens: 12,
      outputTokens: 5,
      cacheReadTokens: 2,
      cacheWriteTokens: 0,
      ...(cost !== undefined && { cost }),
    });
  });
});
