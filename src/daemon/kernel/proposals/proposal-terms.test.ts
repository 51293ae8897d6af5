/** Valid proposals, their defaults, and the errors for invalid ones. */
import { describe, expect, test } from "bun:test";
import { AppError } from "../../../protocol/error.ts";
import { NewProposal, type NewProposalInput } from "../../../protocol/proposal.ts";
import { completeTerms, deadlineOf, findOption } from "./proposal-terms.ts";

const agents = ["alice", "bob", "carol"];

function complete(more: Partial<NewProposalInput> = {}) {
  return completeTerms(NewProposal.parse({ title: "Which?", options: ["red", "blue"], ...more }), agents, "alice");
}

/** Message and hint of a refusal. */
function refusal(ask: () => unknown): string {
  try {
    ask();
  } catch (error) {
    if (error instanceof AppError) return `${error.code}: ${error.message} — ${error.hint ?? ""}`;
    throw error;
  }
  return "accepted";
}

describe("a proposal", () => {
  test("goes to all agents and needs all their votes by default", () => {
    expect(complete()).toMatchObject({
      type: "decision",
      voters: agents,
      quorum: 3,
      tieBreaker: "first",
      binding: true,
    });
    expect(complete({ voters: ["@Bob", "USER", "bob"], quorum: 1 })).toMatchObject({
      voters: ["bob", "user"],
      quorum: 1,
    });
    expect(complete({ voters: ["user", "all"] }).voters).toEqual(["user", ...agents]);
  });

  test("has a default tie-breaker only with plurality", () => {
    expect(complete({ resolution: "majority" }).tieBreaker).toBeNull();
    expect(complete({ resolution: "unanimous", tieBreaker: "random" }).tieBreaker).toBe("random");
  });

  test.each<[NonNullable<NewProposalInput["type"]>, string[]]>([
    ["election", agents],
    ["assignment", agents],
    ["approval", ["yes", "no"]],
  ])("of type %s has options of its own", (type, ids) => {
    const { options } = complete({ type, options: undefined });
    expect(options.map(({ id }) => id)).toEqual(ids);
  });

  test("about agents uses their own spelling, and a binding election has a role", () => {
    const election = complete({ type: "election", options: [{ id: "BOB", label: "Bob, our best" }, "carol"] });
    expect(election).toMatchObject({
      options: [{ id: "bob", label: "Bob, our best" }, { id: "carol" }],
      role: "coordinator",
    });
    expect(complete({ type: "election", options: undefined, binding: false }).role).toBeNull();
  });

  const many = Array.from({ length: 51 }, (_, index) => `o${index}`);
  test.each<[string, Partial<NewProposalInput>, string]>([
    ["no title", { title: " \n" }, "usage: the proposal has no title"],
    ["a long title", { title: "x".repeat(201) }, "usage: the title is 201 characters long"],
    ["no options", { options: undefined }, "usage: the proposal has no options"],
    ["one option", { options: ["red"] }, "usage: the proposal has only one option — a vote needs at least two options"],
    ["the same option twice", { options: ["red", "Red"] }, "usage: two options have the id 'Red'"],
    ["too many options", { options: many }, "usage: the proposal has 51 options; the limit is 50"],
    ["an odd id", { options: ["red", "b\u001blue"] }, "cannot be an option's id"],
    [
      "an approval without no",
      { type: "approval", options: ["yes", "maybe"] },
      "an approval needs the options yes and no",
    ],
    ["an option who is no agent", { type: "election", options: ["alice", "bbo"] }, "did you mean bob?"],
    ["a voter who is no agent", { voters: ["karol"] }, "no agent named 'karol' — did you mean carol?"],
    ["no voters", { voters: [] }, "the proposal has no voters"],
    [
      "a quorum of none",
      { quorum: 0 },
      "a quorum of 0 cannot be reached by 3 voters — give a whole number from 1 to 3",
    ],
    ["a quorum of more than all", { quorum: 4 }, "a quorum of 4"],
    ["half a vote", { quorum: 1.5 }, "a quorum of 1.5"],
    ["an unknown fallback", { fallback: "blu" }, "fallback: \"blu\" is not an option: did you mean 'blue'?"],
    ["a role without an election", { role: "coordinator" }, "only a binding election can have a role"],
    ["a gate without an approval", { gates: { message: "@bob go" } }, "only a binding approval can gate a message"],
    ["a gate for nothing", { type: "approval", options: undefined, gates: { message: " " } }, "the message is empty"],
    ["too much", { description: "x".repeat(70_000) }, "too-large: the proposal is"],
  ])("with %s is refused", (_, more, expected) => {
    expect(refusal(() => complete(more))).toContain(expected);
  });
});

test("a deadline must be in the future, and not too far", () => {
  expect(deadlineOf({ timeoutSeconds: 1.5 }, 1_000)).toBe(2_500);
  expect(deadlineOf({}, 1_000)).toBeNull();
  for (const timeoutSeconds of [0, -1, Number.NaN]) {
    expect(refusal(() => deadlineOf({ timeoutSeconds }, 0))).toContain("the deadline is in the past");
  }
  expect(refusal(() => deadlineOf({ timeoutSeconds: 1e9 }, 0))).toContain("30 days");
});

test("a choice is found by id or label, ignoring case; otherwise the error suggests the nearest", () => {
  const options = [
    { id: "red", label: "red" },
    { id: "blue", label: "Deep blue" },
  ];
  expect(findOption(options, " RED ", "choice").id).toBe("red");
  expect(findOption(options, "deep blue", "choice").id).toBe("blue");
  expect(refusal(() => findOption(options, "bleu", "choice"))).toContain(
    "did you mean 'blue'? — the options are red, blue",
  );
});
