/** What is chosen at random: the team, and what one worker does. */
import type { WorkflowInput } from "../../src/protocol/definition/definition.ts";
import { NewProposal, Resolution, TieBreaker } from "../../src/protocol/proposal.ts";
import type { Random } from "./random.ts";
import type { Pace, World } from "./world.ts";

export type Step = "check" | "send" | "ack" | "repeat" | "tool" | "status" | "propose" | "vote" | "ask" | "question";

export type Plan = {
  steps: Step[];
  /** Between two steps. */
  paceMs: Pace;
  end:
    | "say"
    | "hand-over"
    | "silence"
    | "transient"
    | "permanent"
    | "credentials"
    | "usage-limit"
    | "short-limit"
    | "die"
    | "hang";
  /** Calls that arrive after its end. */
  lateCalls: number;
};

const names = ["ann", "bob", "cleo", "dan", "eve", "fay"];

export function drawTeam(random: Random): { agents: string[]; definition: Omit<WorkflowInput, "kickoff"> } {
  const agents = names.slice(0, random.int(2, names.length));
  const definition = {
    name: "team",
    agents: Object.fromEntries(
      agents.map((name) => [
        name,
        {
          backend: "mock" as const,
          timeout: `${random.int(5, 60)}s`,
          idle_timeout: `${random.int(3, 30)}s`,
          approval: { bash: "ask" as const },
          approval_timeout: `${random.int(1, 120)}s`,
          retry: {
            attempts: random.int(1, 4),
            backoff: `${random.int(50, 5_000)}ms`,
            multiplier: random.int(1, 3),
          },
        },
      ]),
    ),
    setup: random.chance(0.3)
      ? Array.from({ length: random.int(1, 2) }, () => ({ shell: "make", idempotent: random.chance(0.5) }))
      : [],
    // Real files would not be simulated.
    context: { documents: "sqlite" as const, ...(random.chance(0.2) && { documentOwner: "elect" }) },
    limits: { concurrency: random.int(1, agents.length) },
  };
  return { agents, definition };
}

/** How fast a team works: a fast one has several operations in the same commit, a slow one reaches its deadlines. */
export const tempos: Pace[][] = [
  [
    [0, 5],
    [1, 40],
  ],
  [
    [0, 5],
    [1, 40],
    [100, 4_000],
    [2_000, 15_000],
  ],
];

export function drawPlan({ random, tempo, isCalm }: World): Plan {
  if (isCalm) return { steps: ["check", "ack"], paceMs: [1, 50], end: "say", lateCalls: 0 };
  const steps = Array.from({ length: random.int(0, 4) }, () =>
    random.weigh({
      send: 5,
      check: 2,
      ack: 2,
      repeat: 2,
      tool: 1,
      status: 1,
      propose: 1,
      vote: 3,
      ask: 1,
      question: 1,
    }),
  );
  return {
    steps: random.chance(0.8) ? ["check", ...steps] : steps,
    paceMs: random.pick(tempo),
    end: random.weigh({
      say: 30,
      "hand-over": 20,
      silence: 10,
      transient: 14,
      permanent: 5,
      credentials: 2,
      "usage-limit": 2,
      "short-limit": 2,
      die: 10,
      hang: 7,
    }),
    lateCalls: random.chance(0.25) ? random.int(1, 2) : 0,
  };
}

/** A question to the team, and perhaps to the user. */
export function drawProposal({ random, agents }: World): NewProposal {
  const voters = random.several([...agents, "user"], 4);
  const type = random.weigh({ decision: 5, election: 1, assignment: 1, approval: 1 });
  return NewProposal.parse({
    type,
    title: `Question ${random.int(1, 1_000_000)}`,
    ...(type === "decision" && { options: ["a", "b", "c"].slice(0, random.int(2, 3)) }),
    voters,
    resolution: random.pick(Resolution.options),
    quorum: random.int(1, voters.length),
    ...(random.chance(0.5) && { tieBreaker: random.pick(TieBreaker.options) }),
    ...(random.chance(0.3) && { timeoutSeconds: random.int(1, 60) }),
  });
}

/** Text that addresses an agent, with a mention or in `to`. */
export function draftWords({ random, agents }: World): [text: string, to: string[]] {
  const mentions = random.several([...agents, ...agents, "all", "user", "nobody"], 3).map((name) => `@${name}`);
  return [`over to you, ${mentions.join(" and ")}`, random.chance(0.3) ? random.several(agents, 2) : []];
}
