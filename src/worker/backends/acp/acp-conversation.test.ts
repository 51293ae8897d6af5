import { describe, expect, test } from "bun:test";
import type { ApprovalPolicy } from "../../../workflow/approval-policy.ts";
import { createJudge } from "../../approval/judge.ts";
import type { Permission, PermissionRequest } from "../../approval/permission.ts";
import { createConversation } from "./acp-conversation.ts";

const options = [
  { optionId: "yes", kind: "allow_once" },
  { optionId: "no", kind: "reject_once" },
];
const cwd = "/";

/** An agent with this approval policy, and what a person was asked. */
function stage(policy: ApprovalPolicy, answer: Permission = { allowed: false, message: "no" }) {
  const asked: PermissionRequest[] = [];
  const ask = async (request: PermissionRequest) => {
    asked.push(request);
    return answer;
  };
  const judge = createJudge({ policy, cwd, ask });
  const conversation = createConversation(new Set(), [], () => {}, {
    judge: ({ standsFor, ...call }) => judge({ ...call, also: standsFor }, AbortSignal.timeout(1_000)),
    cwd,
  });
  const permit = async (toolCall: Parameters<typeof conversation.permit>[0]["toolCall"]): Promise<unknown> => {
    const { outcome } = await conversation.permit({ toolCall, options });
    return "optionId" in outcome ? outcome.optionId : outcome.outcome;
  };
  return { conversation, permit, asked };
}

describe("what an ACP agent asks leave for", () => {
  test("is decided by its kind, whatever its title says", async () => {
    const { permit, asked } = stage({ "bash(rm*)": "deny", "write_file(src/*)": "deny", echo: "auto", bash: "ask" });
    expect(await permit({ kind: "execute", title: "rm -rf x", rawInput: { command: "rm -rf x" } })).toBe("no");
    expect(asked).toEqual([]);
    expect(await permit({ kind: "execute", title: "echo", rawInput: { command: "echo" } })).toBe("no");
    expect(asked).toMatchObject([{ tool: "bash", args: { command: "echo" } }]);
    for (const named of [{ rawInput: { filePath: "/src/a" } }, { locations: [{ path: "/src/a" }] }]) {
      expect(await permit({ kind: "edit", title: "Edit", ...named })).toBe("no");
    }
    expect(await permit({ kind: "edit", title: "Edit", rawInput: { filePath: "/b" } })).toBe("yes");
  });

  test("is decided by what its call has said before, where the request does not repeat it", async () => {
    const { conversation, permit } = stage({ "bash(rm*)": "deny" });
    const call = { toolCallId: "1", kind: "execute", rawInput: { command: "rm x" } };
    conversation.update({ sessionUpdate: "tool_call", ...call });
    expect(await permit({ toolCallId: "1", title: "ls", rawInput: {} })).toBe("no");
    expect(await permit({ toolCallId: "1", rawInput: { command: "ls" } })).toBe("no");
  });

  test("is not allowed by policy entries about calls if it does not show what it acts on", async () => {
    const { permit } = stage({ "bash(rm*)": "deny", "read_file(.env)": "deny" });
    expect(await permit({ kind: "execute", title: "ls" })).toBe("no");
    expect(await permit({ kind: "read", title: "a" })).toBe("no");
  });
});

test("an edited approval refuses the call as it was, is told once, and is good for one call as it was edited", async () => {
  const edited = { command: "make -n" };
  const { conversation, permit, asked } = stage({ bash: "ask" }, { allowed: true, args: edited });
  expect(await permit({ kind: "execute", rawInput: { command: "make" } })).toBe("no");
  expect(conversation.takeEdits()).toMatchObject([{ tool: "bash", args: edited }]);
  expect(conversation.takeEdits()).toEqual([]);
  expect(await permit({ kind: "execute", rawInput: edited })).toBe("yes");
  expect(asked).toHaveLength(1);
  await permit({ kind: "execute", rawInput: edited });
  expect(asked).toHaveLength(2);
});

test("a call as it was edited is known by what it does: not by its remark, nor by the folder that it is in anyway", async () => {
  const { permit, asked } = stage({ bash: "ask" }, { allowed: true, args: { command: "make -n" } });
  await permit({ kind: "execute", rawInput: { command: "make", cwd, description: "Builds" } });
  expect(asked[0]?.args).toEqual({ command: "make", description: "Builds" });
  expect(await permit({ kind: "execute", rawInput: { command: "make -n", cwd, description: "Tries" } })).toBe("yes");
  await permit({ kind: "execute", rawInput: { command: "make" } });
  expect(await permit({ kind: "execute", rawInput: { command: "make -n", cwd: "/elsewhere" } })).toBe("no");
  expect(asked).toHaveLength(3);
});

describe("what a turn of an ACP agent costs", () => {
  const answer = {
    result: { stopReason: "end_turn", usage: { inputTokens: 10, outputTokens: 5, cachedReadTokens: 2 } },
  };

  test.each([
    ["the last that it tells of the session, in dollars", [0.1, 0.25], "USD", 0.25],
    ["unknown where it tells 0", [0], "USD", undefined],
    ["unknown in another unit", [3], "credits", undefined],
  ])("is %s", (_, amounts, currency, cost) => {
    const { conversation } = stage({});
    for (const amount of amounts) {
      conversation.update({ sessionUpdate: "usage_update", cost: { amount, currency } });
    }
    conversation.overhear(answer);
    expect(conversation.usage()).toEqual({
      inputTokens: 12,
      outputTokens: 5,
      cacheReadTokens: 2,
      cacheWriteTokens: 0,
      ...(cost !== undefined && { cost }),
    });
  });
});
