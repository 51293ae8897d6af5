/** Workers that are not processes: each plays a random plan, and calls what the MCP tools call. */
import { approveCall, askQuestion } from "../../src/daemon/kernel/approvals/ask.ts";
import { sendFromTurn } from "../../src/daemon/kernel/channel/send.ts";
import { identify } from "../../src/daemon/kernel/identity.ts";
import type { Kernel } from "../../src/daemon/kernel/kernel.ts";
import type { RunningWorker, Spawn } from "../../src/daemon/process/spawn.ts";
import type { Claim } from "../../src/daemon/store/data.ts";
import { isUnavailable } from "../../src/daemon/store/unavailable.ts";
import { AppError } from "../../src/protocol/error.ts";
import type { Outcome } from "../../src/protocol/turn.ts";
import type { ShellSpec, TurnSpec } from "../../src/protocol/worker/worker-input.ts";
import type { WorkerEvent } from "../../src/protocol/worker/worker-event.ts";
import { type Plan, type Step, draftWords, drawPlan, drawProposal } from "./plans.ts";
import type { Attempt, Utterance } from "./words.ts";
import { settled } from "./timeline.ts";
import { ConnectionLost, type Life, type World, ask, currentInstance, pause } from "./world.ts";

/** A call to the kernel, with the claim under which it was admitted. */
type Operate<Answer> = (kernel: Kernel, claim: Claim) => Promise<Answer>;
/** How long a call takes at most: to the API, and from there to the store. */
type Delays = { atDoorMs?: number; behindDoorMs?: number };

const never = new Promise<never>(() => {});

export function createSpawn(world: World, life: Life): Spawn {
  return async (spec, onEvent) => {
    await pause(world, 2, 80);
    if (!world.isCalm && world.random.chance(0.02)) throw new Error("no process is left");
    const worker = spec.kind === "turn" ? new Worker(world, life, spec, onEvent) : new Shell(world, life, spec);
    void worker.live();
    return worker;
  };
}

/** A simulated process: it ends once, stops with some delay, and may outlive its daemon. */
abstract class Process implements RunningWorker {
  readonly pid: number;
  readonly startTime = "simulated";
  readonly life: Life;
  protected readonly world: World;
  protected isGone = false;
  readonly #end = Promise.withResolvers<Outcome>();

  constructor(world: World, life: Life) {
    this.world = world;
    this.life = life;
    this.pid = world.random.int(2, 99_999);
    world.workers.add(this);
  }

  get ended(): Promise<Outcome> {
    return this.#end.promise;
  }

  async stop(): Promise<void> {
    if (this.isGone) return;
    // It keeps running between the signal and its end.
    await pause(this.world, 0, 100);
    this.leave(died("it was ended"));
  }

  /** Its daemon has crashed, and the next one tries to end it. */
  orphan(): void {
    if (this.world.random.chance(0.6)) this.leave(died("it was orphaned"));
  }

  /** What it works on, if it runs a turn. */
  abstract readonly attempt: Attempt | null;

  abstract live(): Promise<void>;

  protected leave(outcome: Outcome): void {
    if (this.isGone) return;
    this.isGone = true;
    this.world.workers.delete(this);
    this.#end.resolve(outcome);
  }

  /** A step in its own time; never ends for a worker that has ended. */
  protected async wait(least: number, most: number): Promise<void> {
    await pause(this.world, least, most);
    if (this.isGone) await never;
  }
}

/** A shell step. */
class Shell extends Process {
  readonly attempt = null;
  readonly #spec: ShellSpec;

  constructor(world: World, life: Life, spec: ShellSpec) {
    super(world, life);
    this.#spec = spec;
  }

  async live(): Promise<void> {
    await this.wait(1, 400);
    if (!this.world.isCalm && this.world.random.chance(0.2)) return this.leave(died("exit code 1"));
    this.leave({ status: "succeeded", text: this.#spec.script });
  }
}

class Worker extends Process {
  readonly #spec: TurnSpec;
  readonly #plan: Plan;
  readonly #onEvent: (event: WorkerEvent) => void;
  #hasRepeated = false;

  constructor(world: World, life: Life, spec: TurnSpec, onEvent: (event: WorkerEvent) => void) {
    super(world, life);
    this.#spec = spec;
    this.#onEvent = onEvent;
    this.#plan = drawPlan(world);
    const twin = [...world.workers].find(
      (other) => other !== this && other.life === life && other.attempt?.agent === spec.agent,
    );
    if (twin) world.violate(`${spec.agent} has two workers at once`);
  }

  get attempt(): Attempt {
    return this.#spec;
  }

  async live(): Promise<void> {
    const [least, most] = this.#plan.paceMs;
    for (const step of this.#plan.steps) {
      await this.wait(least, most);
      await this.#attempt(() => this.#perform(step));
    }
    await this.wait(least, most);
    if (this.#plan.end === "hang") await never;
    this.leave(this.#outcome());
  }

  /** What it sent before its end may arrive later: at the API, or already past it. */
  protected override leave(outcome: Outcome): void {
    if (this.isGone) return;
    for (let call = 0; call < this.#plan.lateCalls; call++) {
      const late = this.world.random.chance(0.5) ? { atDoorMs: 6_000 } : { behindDoorMs: 2_000 };
      this.world.figures.late += 1;
      void this.#attempt(() => this.#say(this.#coin("too late, @all"), late));
    }
    super.leave(outcome);
  }

  async #perform(step: Step): Promise<void> {
    switch (step) {
      case "check":
        await this.#call(({ store }, claim) => store.checkInbox(claim));
        return;
      case "ack":
        await this.#call(async ({ store }, claim) => {
          const held = await store.deliveries(claim.instance, { agent: claim.agent, states: ["claimed"], limit: 50 });
          return store.ack(claim, { messages: this.world.random.several(held, 3).map(({ message }) => message.id) });
        });
        return;
      case "send":
        if (this.world.breath <= 0) return;
        this.world.breath -= 1;
        await this.#say(this.#coin(...draftWords(this.world)));
        return;
      case "repeat":
        await this.#repeat();
        return;
      case "tool":
        this.#onEvent({ type: "tool-call", call: "1", tool: "bash", args: "{}" });
        this.#onEvent({ type: "tool-result", call: "1", tool: "bash", ok: true, text: "" });
        return;
      case "propose":
        if (this.world.breath <= 0) return;
        this.world.breath -= 1;
        this.world.figures.proposals += 1;
        await this.#call(({ proposals }, claim) =>
          proposals.open(currentInstance(this.world), claim, drawProposal(this.world)),
        );
        return;
      case "vote":
        await this.#vote();
        return;
      case "status":
        await this.#call(({ store }, claim) => store.setStatus(claim, "at work"));
        return;
      case "ask":
        await this.#ask();
        return;
      case "question":
        await this.#enter((kernel, claim) => askQuestion(kernel, claim, { question: "Which one?", options: [] }));
    }
  }

  /** Asks for approval of a call, at times over two connections at once: both get the same answer. */
  async #ask(): Promise<void> {
    const request = `call-${this.world.random.int(1, 1_000_000)}`;
    const call = { tool: "bash", args: { command: "make" }, request, inputSchema: null, cwd: null, why: null };
    const connections = this.world.random.chance(0.2) ? 2 : 1;
    const heard = await Promise.all(
      Array.from({ length: connections }, () => this.#enter((kernel, claim) => approveCall(kernel, claim, call))),
    );
    const [first] = heard;
    for (const { allowed, approval } of heard) {
      if (allowed === first?.allowed && approval?.id === first.approval?.id) continue;
      this.world.violate(`${request} was told two decisions: ${JSON.stringify(heard)}`);
    }
  }

  /** On any open proposal, whether it is a voter or not; repeating a vote is accepted although nothing is written. */
  async #vote(): Promise<void> {
    const { random, disk, instance, figures } = this.world;
    const open = settled(disk.store.proposals(instance, { status: "active", limit: 10 }));
    for (const { id, options } of random.several(open, 2)) {
      await this.#enter(({ proposals }, claim) =>
        proposals.vote(claim, { proposal: id, choice: random.pick(options).id }),
      );
      figures.votes += 1;
    }
  }

  /** Sends again, once and verbatim, what earlier attempts of the turn sent: this must have no effect. */
  async #repeat(): Promise<void> {
    if (this.#hasRepeated) return;
    this.#hasRepeated = true;
    const { messages } = await this.#enter(({ store }, claim) => store.earlierWork(claim));
    for (const { content, id } of messages) {
      const utterance = this.world.words.find(content);
      if (!utterance || utterance.isFinal) continue;
      const sent = await this.#say(utterance);
      this.world.figures.repeated += 1;
      if (!sent.repeated || sent.message.id !== id) this.world.violate(`a repeat was sent again: "${content}"`);
    }
  }

  async #say(utterance: Utterance, delays: Delays = {}): Promise<{ message: { id: string }; repeated: boolean }> {
    try {
      const { content, to } = utterance;
      const sent = await this.#call((kernel, claim) => sendFromTurn(kernel, claim, { content, to }), delays);
      utterance.told.add(sent.message.id);
      return sent;
    } catch (error) {
      if (error instanceof ConnectionLost) utterance.unheard += 1;
      throw error;
    }
  }

  #coin(text: string, to: string[] = []): Utterance {
    return this.world.words.coin(this.#spec, text, { to });
  }

  /** Does something that is allowed only while the turn runs. */
  async #call<Answer>(operate: Operate<Answer>, delays: Delays = {}): Promise<Answer> {
    const answer = await this.#enter(operate, delays);
    const { agent, turn, attempt } = this.#spec;
    // The ledger still shows the state before the commit that this answers.
    if (!this.world.ledger.isRunning(this.#spec)) {
      this.world.violate(`attempt ${attempt} of ${turn} of ${agent} was heard after it had been taken away`);
    }
    return answer;
  }

  /** As in the real API: looks up the token, and passes its claim to the operation. */
  async #enter<Answer>(operate: Operate<Answer>, { atDoorMs = 0, behindDoorMs = 0 }: Delays = {}): Promise<Answer> {
    const { token } = this.#spec;
    if (atDoorMs > 0) await pause(this.world, 0, atDoorMs);
    return ask(this.world, async (kernel) => {
      const who = await identify(kernel, token, { clientToken: "a-client", spareToken: "a-spare" });
      if (who.kind !== "turn") throw new Error("a turn's token stands for no turn");
      if (behindDoorMs > 0) await pause(this.world, 0, behindDoorMs);
      return operate(kernel, who.claim);
    });
  }

  /** A model ignores a tool error; if the store is unavailable, it tries once more. */
  async #attempt(perform: () => Promise<void | object>): Promise<void> {
    for (let tries = 0; tries < 2; tries++) {
      try {
        await perform();
        return;
      } catch (error) {
        if (error instanceof ConnectionLost) this.world.figures.lost += 1;
        else if (!(error instanceof AppError)) this.world.violate(`a tool call failed: ${String(error)}`);
        else if (error.code === "fenced" || error.code === "unauthorized") this.world.figures.refused += 1;
        if (!isUnavailable(error)) return;
        await pause(this.world, 100, 2_000);
      }
    }
  }

  #outcome(): Outcome {
    const { end } = this.#plan;
    const usage = { inputTokens: 1, outputTokens: 1 };
    if (end === "silence") return { status: "succeeded", text: "", usage };
    if (end === "die") return died("it died without a word");
    if (end === "say" || end === "hand-over") {
      const isHandOver = end === "hand-over" && this.world.breath > 0;
      if (isHandOver) this.world.breath -= 1;
      const text = isHandOver ? draftWords(this.world)[0] : "finished";
      return { status: "succeeded", text: this.world.words.coin(this.#spec, text, { isFinal: true }).content, usage };
    }
    if (end === "short-limit") {
      const until = this.world.timeline.wall + this.world.random.int(1_000, 60_000);
      return { status: "failed", failure: { kind: "usage-limit", message: "for a while, as planned", until }, usage };
    }
    const kind = end === "hang" ? "transient" : end;
    return { status: "failed", failure: { kind, message: `${kind}, as planned` }, usage };
  }
}

function died(message: string): Outcome {
  return { status: "failed", failure: { kind: "transient", message } };
}
