/** Counting votes: chosen cases, and random ones compared with a model that tries every continuation. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { type Tallied, tally } from "./tally.ts";

const open = { closing: false, chance: 0 };
const closing = { closing: true, chance: 0 };

describe("a plurality", () => {
  test("is decided once the quorum is reached, although others could still vote", () => {
    expect(tally(voted("a a b - -", { quorum: 3 }), open)).toMatchObject({
      state: "resolved",
      winner: "a",
      by: "quorum",
    });
  });

  test("is decided as soon as the missing votes cannot change it", () => {
    expect(tally(voted("a a - -"), open)).toMatchObject({ state: "resolved", winner: "a", by: "certain", tie: null });
    expect(tally(voted("b b - -"), open)).toMatchObject({ state: "open" });
    expect(tally(voted("a a - -", { tieBreaker: "random" }), open)).toMatchObject({ state: "open" });
  });

  test("lets the first option win a tie, or a random one", () => {
    expect(tally(voted("b a"), open)).toMatchObject({ state: "resolved", winner: "a", tie: "first" });
    const random = voted("c b c b a", { tieBreaker: "random" });
    expect(tally(random, { closing: false, chance: 0.49 })).toMatchObject({ winner: "b", tie: "random" });
    expect(tally(random, { closing: false, chance: 0.99 })).toMatchObject({ winner: "c", tie: "random" });
  });
});

describe("a majority", () => {
  test("is more than half of the votes cast", () => {
    expect(tally(voted("a a b - -", { resolution: "majority", quorum: 3 }), open)).toMatchObject({ winner: "a" });
    expect(tally(voted("a a b c - -", { resolution: "majority", quorum: 3 }), open)).toMatchObject({ state: "open" });
  });

  test("that can no longer be reached has failed, and the fallback applies", () => {
    const split = voted("a a b c", { resolution: "majority", fallback: "c" });
    expect(tally(split, open)).toEqual({ state: "expired", winner: "c", by: "certain" });
  });

  test("has a tie-breaker only if one was requested", () => {
    expect(tally(voted("a b", { resolution: "majority" }), open)).toMatchObject({ state: "expired", winner: null });
    const broken = voted("a b", { resolution: "majority", tieBreaker: "first" });
    expect(tally(broken, open)).toMatchObject({ state: "resolved", winner: "a", tie: "first" });
  });
});

test("one dissenting vote prevents unanimity", () => {
  const terms = { resolution: "unanimous" } as const;
  expect(tally(voted("a a -", terms), open)).toMatchObject({ state: "open" });
  expect(tally(voted("a b -", terms), open)).toMatchObject({ state: "expired", by: "certain" });
  expect(tally(voted("a a -", terms), closing)).toMatchObject({ state: "resolved", winner: "a", by: "closing" });
});

describe("creator-decides", () => {
  const terms = { tieBreaker: "creator-decides", creator: "boss" } as const;

  test("waits for a creator who has not voted, but not after the end", () => {
    expect(tally(voted("a b", terms), open)).toEqual({ state: "open", awaits: "creator", tied: ["a", "b"] });
    expect(tally(voted("a b", terms), closing)).toEqual({ state: "expired", winner: null, by: "closing" });
  });

  test("lets a creator who is not a voter break the tie, and nothing else", () => {
    const boss = [{ voter: "boss", choice: "b" }];
    expect(tally(voted("a b", terms, boss), open)).toMatchObject({ winner: "b", tie: "creator-decides" });
    expect(tally(voted("a -", terms, boss), open)).toMatchObject({ state: "open" });
    expect(tally(voted("a a", terms, boss), open)).toMatchObject({ winner: "a", tie: null });
    const aside = [{ voter: "boss", choice: "c" }];
    expect(tally(voted("a b", terms, aside), open)).toEqual({ state: "open", awaits: "creator", tied: ["a", "b"] });
  });
});

test("without a vote nothing is decided, and at the end the fallback applies", () => {
  expect(tally(voted("- -"), open)).toEqual({ state: "open", awaits: "votes" });
  expect(tally(voted("- -", { fallback: "b" }), closing)).toEqual({ state: "expired", winner: "b", by: "closing" });
});

test("random votes have the same result as a simple model", () => {
  const ids = ["a", "b", "c", "d"];
  const names = ["v1", "v2", "v3", "v4", "v5", "v6"];
  const random = fc.record({
    options: fc.integer({ min: 2, max: 4 }).map((count) => ids.slice(0, count)),
    voters: fc.integer({ min: 1, max: 6 }).map((count) => names.slice(0, count)),
    resolution: fc.constantFrom("plurality" as const, "majority" as const, "unanimous" as const),
    tieBreaker: fc.constantFrom("first" as const, "random" as const, "creator-decides" as const, null),
    quorum: fc.integer({ min: 1, max: 6 }),
    creator: fc.constantFrom(...names, "outsider"),
    fallback: fc.constantFrom("b", null),
    choices: fc.array(fc.option(fc.nat(3)), { minLength: 7, maxLength: 7 }),
    isClosing: fc.boolean(),
    chance: fc.double({ min: 0, max: 0.999, noNaN: true }),
  });
  fc.assert(
    fc.property(random, ({ options, voters, choices, isClosing, chance, ...rest }) => {
      const votes = [...voters, "outsider"].flatMap((voter, index) => {
        const choice = options[choices[index] ?? 9];
        return choice === undefined || (voter === "outsider" && rest.creator !== voter) ? [] : [{ voter, choice }];
      });
      const quorum = Math.min(rest.quorum, voters.length);
      const asked: Tallied = { ...rest, quorum, voters, votes, options: options.map((id) => ({ id, label: id })) };
      const { state, winner = null } = { winner: null, ...tally(asked, { closing: isClosing, chance }) };
      expect<Verdict>({ state, winner }).toEqual(modelOf(asked, isClosing, chance));
    }),
    { numRuns: 3_000 },
  );
});

type Verdict = { state: string; winner: string | null };

/** Tries out every way in which the missing votes could be cast, or not. */
function modelOf(asked: Tallied, isClosing: boolean, chance: number): Verdict {
  const chosen = new Map(asked.votes.map(({ voter, choice }) => [voter, choice]));
  const now = judge(asked, chosen);
  const cast = asked.voters.filter((voter) => chosen.has(voter)).length;
  const winner = now.startsWith("?") ? now.slice(1).charAt(Math.floor(chance * (now.length - 1))) : now;
  const isWon = /^[a-d]$/.test(winner);
  if (isWon && cast >= asked.quorum) return { state: "resolved", winner };
  const missing = asked.voters.filter((voter) => !chosen.has(voter));
  if (cast > 0 && now.length === 1 && futures(asked, chosen, missing).every((future) => future === now)) {
    return isWon ? { state: "resolved", winner } : { state: "expired", winner: asked.fallback };
  }
  if (!isClosing) return { state: "open", winner: null };
  return isWon ? { state: "resolved", winner } : { state: "expired", winner: asked.fallback };
}

function futures(asked: Tallied, chosen: Map<string, string>, [next, ...rest]: string[]): string[] {
  if (next === undefined) return [judge(asked, chosen)];
  const abstains = futures(asked, chosen, rest);
  const votes = asked.options.flatMap(({ id }) => futures(asked, new Map([...chosen, [next, id]]), rest));
  return [...abstains, ...votes];
}

/** The winner's letter, `-` for no winner, `?` with the letters that chance or the creator has to choose from. */
function judge({ options, voters, resolution, tieBreaker, creator }: Tallied, chosen: Map<string, string>): string {
  const cast = voters.flatMap((voter) => chosen.get(voter) ?? []);
  const ranked = options
    .map(({ id }) => ({ id, votes: cast.filter((choice) => choice === id).length }))
    .toSorted((left, right) => right.votes - left.votes);
  const best = ranked.filter(({ votes }) => votes > 0 && votes === ranked[0]?.votes).map(({ id }) => id);
  const [leader, rival] = best;
  if (leader === undefined) return "-";
  if (rival !== undefined) {
    if (tieBreaker === null) return "-";
    if (tieBreaker === "first") return best.toSorted()[0] ?? "-";
    if (tieBreaker === "random") return `?${best.toSorted().join("")}`;
    return best.find((id) => id === chosen.get(creator)) ?? "creator";
  }
  const share = (ranked[0]?.votes ?? 0) / cast.length;
  if (resolution === "majority" && share <= 0.5) return "-";
  return resolution === "unanimous" && share < 1 ? "-" : leader;
}

/** Options a, b, c; one letter per voter, `-` for who has not voted. */
function voted(letters: string, terms: Partial<Tallied> = {}, more: Tallied["votes"] = []): Tallied {
  const voters = letters.split(" ").map((_, index) => `v${index + 1}`);
  const votes = letters
    .split(" ")
    .flatMap((choice, index) => (choice === "-" ? [] : [{ voter: `v${index + 1}`, choice }]));
  return {
    options: ["a", "b", "c"].map((id) => ({ id, label: id })),
    voters,
    resolution: "plurality",
    quorum: voters.length,
    tieBreaker: (terms.resolution ?? "plurality") === "plurality" ? "first" : null,
    fallback: null,
    creator: "boss",
    votes: [...votes, ...more],
    ...terms,
  };
}
