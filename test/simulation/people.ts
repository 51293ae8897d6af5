/** What happens to a team from outside: people who write, stop, start, resume and discard; and faults. */
import { discard, redrive, resume, startAgent, stopAgent } from "../../src/daemon/kernel/operate/control.ts";
import { decideApproval } from "../../src/daemon/kernel/approvals/decide.ts";
import { sendFromPerson } from "../../src/daemon/kernel/channel/send.ts";
import { isUnavailable } from "../../src/daemon/store/unavailable.ts";
import { AppError } from "../../src/protocol/error.ts";
import type { WorkflowInput } from "../../src/protocol/definition/definition.ts";
import { beginLife, crash } from "./life.ts";
import type { Participant } from "../../src/daemon/store/data.ts";
import { draftWords, drawProposal } from "./plans.ts";
import { settled } from "./timeline.ts";
import { ConnectionLost, type Variant, type World, ask, currentInstance, pause } from "./world.ts";

const hourMs = 3_600_000;
/** How often a person repeats a request that the daemon could not accept. */
const tries = 5;

const happenings = {
  say: 40,
  propose: 4,
  vote: 6,
  "stop-agent": 5,
  "start-agent": 8,
  redrive: 6,
  resume: 6,
  discard: 4,
  "stop-workflow": 1,
  "run-again": 6,
  jump: 4,
  crash: 7,
  full: 6,
  outage: 6,
  decide: 20,
};
export type Happening = keyof typeof happenings;

export type Outside = { world: World; variant: Variant; definition: Omit<WorkflowInput, "kickoff"> };

/** Starts the run, and lets things happen for a while. */
export async function disturb(outside: Outside): Promise<void> {
  const { world } = outside;
  const { random } = world;
  const count = random.int(5, 40);
  const pace = random.pick([20, 100, 1_000, 3_000]);
  for (let index = 0; index < count; index++) {
    await pause(world, 0, pace);
    const happening = random.weigh(happenings);
    world.note(`outside: ${happening}`);
    void attempt(world, () => perform(outside, happening));
  }
  await pause(world, 0, pace);
}

/** Starts the instance, for the first time or again. */
export async function begin({ world, definition }: Outside): Promise<void> {
  // A kickoff that addresses no agent is refused.
  const addressed = world.random.several([...world.agents, "all"], 2).map((name) => `@${name}`);
  const kickoff = world.words.coin(null, `begin, ${addressed.join(" and ")}`);
  // The sender of a kickoff gets no confirmation.
  kickoff.unheard = 1;
  const request = { definition: { ...definition, kickoff: kickoff.content }, project: "/project", dir: "/project" };
  const attended = world.random.chance(0.8);
  const { instance } = await ask(world, ({ runs }) =>
    runs.start({ ...request, tag: "main", env: {}, fresh: false, attended }, "run"),
  );
  world.instance = instance.id;
  world.figures.runs += 1;
}

/** Resumes or discards everything that is waiting, and starts stopped agents. */
export async function cleanUp(world: World): Promise<void> {
  const { random } = world;
  for (const agent of world.agents) await ask(world, (kernel) => startAgent(kernel, currentInstance(world), agent));
  for (const { message } of world.ledger.except("done", "pending", "claimed")) {
    if (!random.chance(0.2)) continue;
    await ask(world, (kernel) => discard(kernel, currentInstance(world), { messages: [message] })).catch(refused);
  }
  await ask(world, (kernel) => redrive(kernel, currentInstance(world), {}));
  await ask(world, (kernel) => resume(kernel, currentInstance(world), {}));
}

async function perform(outside: Outside, happening: Happening): Promise<unknown> {
  const { world, variant } = outside;
  const { random, agents, figures } = world;
  const some = random.chance(0.5) ? { agent: random.pick(agents) } : {};
  const agent = random.pick(agents);
  switch (happening) {
    case "say":
      return say(world);
    case "propose":
      figures.proposals += 1;
      return ask(world, (kernel) => kernel.proposals.open(currentInstance(world), user(world), drawProposal(world)));
    case "vote": {
      const open = settled(world.disk.store.proposals(world.instance, { status: "active", limit: 10 }));
      if (open.length === 0) return undefined;
      const { id: proposal, options } = random.pick(open);
      return ask(world, (kernel) => kernel.proposals.vote(user(world), { proposal, choice: random.pick(options).id }));
    }
    case "stop-agent":
      figures.stops += 1;
      return ask(world, (kernel) => stopAgent(kernel, currentInstance(world), agent));
    case "start-agent":
      return ask(world, (kernel) => startAgent(kernel, currentInstance(world), agent));
    case "redrive":
      return ask(world, (kernel) => redrive(kernel, currentInstance(world), some));
    case "resume":
      return ask(world, (kernel) => resume(kernel, currentInstance(world), some));
    case "discard": {
      const messages = random.several(world.ledger.except("done"), 2).map(({ message }) => message);
      return ask(world, (kernel) => discard(kernel, currentInstance(world), { messages }));
    }
    case "stop-workflow":
      return ask(world, ({ runs }) => runs.stop(currentInstance(world)));
    case "run-again":
      return currentInstance(world).state === "running" ? undefined : begin(outside);
    case "decide":
      return decide(world);
    case "jump":
      figures.jumps += 1;
      return world.timeline.jump(random.pick([-24, -1, 1, 24]) * hourMs);
    case "crash":
      if (!world.life) return undefined;
      crash(world);
      await pause(world, 0, 2_000);
      return beginLife(world, variant);
    case "full":
      figures.full += 1;
      world.disk.fullness = random.pick([30, 100]);
      await pause(world, 1, random.pick([200, 5_000, 60_000]));
      world.disk.fullness = 0;
      world.troubleAt = world.timeline.monotonic;
      return undefined;
    case "outage":
      figures.outages += 1;
      world.disk.outage = random.pick([30, 100]);
      await pause(world, 1, random.pick([200, 9_000, 60_000]));
      world.disk.outage = 0;
      world.troubleAt = world.timeline.monotonic;
  }
}

function user({ instance }: World): Participant {
  return { instance, name: "user" };
}

/** Two people decide the same request, each differently; at most one decision is accepted. */
async function decide(world: World): Promise<void> {
  const { random, disk } = world;
  const waiting = settled(disk.store.approvals({ state: "waiting", limit: 100 }));
  if (waiting.length === 0) return;
  const { id, kind } = random.pick(waiting);
  const decisions = [
    { decision: "approve" as const, ...(kind === "question" && { answer: "this one" }) },
    { decision: "deny" as const, reason: "no" },
  ];
  const heard = await Promise.allSettled(
    decisions.map((decision) => ask(world, (kernel) => decideApproval(kernel, id, decision))),
  );
  if (heard.every(({ status }) => status === "fulfilled")) world.violate(`${id} was decided twice`);
  const failure = heard.find((each) => each.status === "rejected" && !(each.reason instanceof AppError));
  if (failure?.status === "rejected") throw failure.reason;
}

/** A person repeats a refused request and, with a key, also an unanswered one. */
async function say(world: World): Promise<void> {
  const { random } = world;
  const isAsked = random.chance(0.2);
  const [text, to] = draftWords(world);
  const utterance = world.words.coin(null, isAsked ? `asked, ${text}` : text, { to });
  const idempotencyKey = random.chance(0.5) ? utterance.content : undefined;
  for (let count = 0; count < tries; count++) {
    try {
      const { content } = utterance;
      const { message } = await ask(world, (kernel) =>
        sendFromPerson(kernel, currentInstance(world), { content, to, asked: isAsked, idempotencyKey }),
      );
      utterance.told.add(message.id);
      return;
    } catch (error) {
      if (error instanceof ConnectionLost) utterance.unheard += 1;
      const mayRepeat = error instanceof ConnectionLost ? idempotencyKey !== undefined : isUnavailable(error);
      if (!mayRepeat) throw error;
      await pause(world, 10, 3_000);
    }
  }
}

/** A refused request, or one left unanswered by a crash, is not a violation. */
async function attempt(world: World, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (error instanceof ConnectionLost) world.figures.lost += 1;
    else if (!(error instanceof AppError)) world.violate(`something outside failed: ${String(error)}`);
  }
}

function refused(error: unknown): void {
  if (!(error instanceof AppError)) throw error;
}
