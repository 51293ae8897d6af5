import { describe, expect, test } from "bun:test";
import type { Approval } from "../../../protocol/approval.ts";
import { approvalShownChars } from "../../../protocol/limits.ts";
import { hashArguments } from "../../../system/canonical-json.ts";
import type { DecideRequest } from "../../../protocol/http/approvals.ts";
import { decisionOn } from "./decide.ts";

const args = { command: "make", timeout: 5 };
const call: Approval = {
  id: "a1",
  kind: "tool",
  state: "waiting",
  workflow: "team",
  tag: "main",
  project: "/p",
  run: 1,
  agent: "alice",
  target: "alice@team",
  turn: "t1",
  tool: "bash",
  args: JSON.stringify(args),
  whole: true,
  masked: 0,
  hash: hashArguments(args),
  inputSchema: null,
  cwd: null,
  why: null,
  question: null,
  options: [],
  askedAt: 0,
  deadline: 1,
  decidedAt: null,
  decidedBy: null,
  reason: null,
  approvedHash: null,
  edited: null,
  answer: null,
};
const question: Approval = { ...call, kind: "question", question: "Which?", options: ["Oslo", "Bergen"] };

describe("a person's decision", () => {
  test("is yes or no, with or without a reason", () => {
    expect(decisionOn(call, { decision: "approve" })).toEqual({ state: "approved", by: "user", reason: null });
    expect(decisionOn(call, { decision: "deny", reason: "no" })).toEqual({ state: "denied", by: "user", reason: "no" });
  });

  test("with other arguments is bound to their hash; with the same arguments it is not an edit", () => {
    const other = { command: "make -n" };
    expect(decisionOn(call, { decision: "approve", args: other })).toMatchObject({
      edited: { args: other, hash: hashArguments(other) },
    });
    expect(decisionOn(call, { decision: "approve", args: { timeout: 5, command: "make" } })).not.toHaveProperty(
      "edited",
    );
  });

  test("on arguments that lists do not show whole needs their hash, unless it denies or replaces them", () => {
    const command = "a".repeat(approvalShownChars);
    const long = { ...call, args: JSON.stringify({ command }), hash: hashArguments({ command }) };
    expect(() => decisionOn(long, { decision: "approve" })).toThrow("approve them with their hash");
    expect(() => decisionOn(long, { decision: "approve", hash: "0".repeat(64) })).toThrow("other arguments");
    expect(() => decisionOn(call, { decision: "approve", hash: long.hash })).toThrow("other arguments");
    expect(decisionOn(long, { decision: "approve", hash: long.hash.slice(0, 8) })).toMatchObject({ state: "approved" });
    expect(decisionOn(long, { decision: "approve", args: { command: "true" } })).toHaveProperty("edited");
    expect(decisionOn(long, { decision: "deny" })).toMatchObject({ state: "denied" });
  });

  test.each([
    ["2", "Bergen"],
    ["oslo", "Oslo"],
    ["3", "3"],
    [" Neither of them ", "Neither of them"],
  ])("on a question is an answer, an option by number or name: %j is %j", (answer, given) => {
    expect(decisionOn(question, { decision: "approve", answer })).toMatchObject({ state: "answered", answer: given });
  });

  test("with other arguments is checked against the tool's schema, if it is known", () => {
    const inputSchema = { properties: { command: { type: "string" } }, required: ["command"] };
    const known = { ...call, inputSchema };
    expect(() => decisionOn(known, { decision: "approve", args: { command: 5 } })).toThrow(
      "the arguments do not fit bash: 'command' must be a string, not 5",
    );
    expect(decisionOn(known, { decision: "approve", args: { command: "make -n" } })).toHaveProperty("edited");
    expect(decisionOn(call, { decision: "approve", args: { command: 5 } })).toHaveProperty("edited");
  });

  test.each<[string, Approval, DecideRequest]>([
    ["is a question", question, { decision: "approve" }],
    ["is a question", question, { decision: "approve", answer: "  " }],
    ["no arguments to change", question, { decision: "approve", answer: "x", args: {} }],
    ["not a question", call, { decision: "approve", answer: "x" }],
    ["neither arguments nor an answer", call, { decision: "deny", args: {} }],
    ["[redacted]", call, { decision: "approve", args: { command: "echo [redacted]" } }],
  ])("that does not fit is refused: %s", (message, approval, request) => {
    expect(() => decisionOn(approval, request)).toThrow(message);
  });
});
