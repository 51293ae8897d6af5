/**
 * How a mock votes: by its script, otherwise for the first option; never twice, and never without the right to vote.
 */
import { expect, test } from "bun:test";
import type { MockScript } from "../../../protocol/definition/mock-script.ts";
import type { ToolResult } from "../../tools/tool.ts";
import type { TurnInput } from "../backend.ts";
import { castVotes, votesOf } from "./mock-votes.ts";

const colours = question("m1", "Which colour?", ["red", "blue"]);

test.each<[string, MockScript, string]>([
  ["no script", [], "red"],
  ["a vote for an option", [[{ say: "x" }], [{ vote: "BLUE" }]], "blue"],
  ["a vote in a reply", [{ on: "x", do: [{ vote: "blue" }] }], "blue"],
  ["a vote for an unknown option", [[{ vote: "green" }]], "red"],
  ["a vote on another question", [[{ vote: { choice: "blue", on: "size" } }]], "red"],
  ["several votes, the first that matches", [[{ vote: { choice: "blue", on: "colour" } }, { vote: "red" }]], "blue"],
])("with %s", async (_, script, choice) => {
  expect(await votes(script, [colours])).toEqual([{ proposal: "m1", choice }]);
});

test("passes the reason along with the vote", async () => {
  const script: MockScript = [[{ vote: { choice: "blue", reason: "calm" } }]];
  expect(await votes(script, [colours])).toEqual([{ proposal: "m1", choice: "blue", reason: "calm" }]);
});

test("does not vote twice, nor without the right to vote, nor by a step for another proposal", async () => {
  expect(
    await votes(
      [],
      [
        { ...colours, yours: "red" },
        { ...colours, mayVote: false },
      ],
    ),
  ).toEqual([]);
  expect(await votes([[{ vote: "green" }]], [colours], "none")).toEqual([]);
});

/** The votes that are cast on these proposals. */
async function votes(script: MockScript, proposals: object[], others: "first-option" | "none" = "first-option") {
  const cast: unknown[] = [];
  const callTool = async (tool: string, args: Record<string, unknown>): Promise<ToolResult> => {
    if (tool === "vote") cast.push(args);
    return { ok: true, text: "", structured: { proposals } };
  };
  const turn: TurnInput = {
    daemonTools: { callTool, listTools: async () => [], useToken: () => undefined },
    tools: [],
    skills: [],
    toolSecret: "",
    provider: {},
    env: {},
    inbox: { messages: [], earlier: [] },
    prompt: { system: "", first: "" },
    signal: new AbortController().signal,
    sabotage: () => Promise.reject(new Error("not asked for")),
  };
  const steps = votesOf(script);
  for await (const event of castVotes(steps, turn, { others, nextCall: () => "1" })) expect(event).toBeDefined();
  return cast;
}

function question(id: string, title: string, options: string[]) {
  return {
    id,
    title,
    type: "decision",
    description: null,
    options: options.map((option) => ({ id: option, label: option })),
    voters: ["alice"],
    resolution: "plurality",
    quorum: 1,
    tieBreaker: "first",
    binding: true,
    role: null,
    gates: null,
    fallback: null,
    run: 1,
    creator: "bob",
    status: "active",
    createdAt: 0,
    deadline: null,
    votes: [],
    result: null,
    yours: null,
    mayVote: true,
  };
}
