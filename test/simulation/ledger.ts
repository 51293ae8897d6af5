/** An independent record of all deliveries and turns, built only from events. Anything inconsistent is a violation. */
import type { Delivery, DeliveryState } from "../../src/protocol/delivery.ts";
import type { Event, EventOf } from "../../src/protocol/event.ts";
import type { Requests } from "./requests.ts";
import type { Attempt, Words } from "./words.ts";

type Owed = {
  agent: string;
  message: string;
  state: DeliveryState;
  run: number;
  turn: string | null;
  /** When it can be tried again, in milliseconds since the start. */
  dueAt: number;
  /** Released by the turn that had claimed it: a crash may still count against it. */
  isGivenBack: boolean;
  /** Parked by the end of a run, not by its agent's own stop or failure. */
  isStopped?: boolean;
  /** Held until a usage limit ends. */
  isLimited: boolean;
};

export type LedgerOptions = {
  words: Words;
  concurrency: number;
  requests: Requests;
  /** Messages whose sender waits for the answer, by content: each is handled alone. */
  isAsked: (content: string) => boolean;
  onViolation: (what: string) => void;
};

export class Ledger {
  readonly #options: LedgerOptions;
  readonly #owed = new Map<string, Owed>();
  /** The running attempt of each agent, and the one that ended last. */
  readonly #running = new Map<string, Attempt>();
  readonly #ended = new Map<string, Attempt & { status: string }>();
  readonly #attempts = new Map<string, number>();
  readonly #asked = new Set<string>();
  readonly #stored = new Map<string, string>();
  /** Agents that each turn has written to. */
  readonly #addressed = new Map<string, Set<string>>();
  /** Open proposals, with their voters. */
  readonly #votedOn = new Map<string, string[]>();
  /** Proposals closed by votes, a deadline or the end of the run. */
  readonly decided = new Set<string>();
  /** How many of them must be recorded before the run can end. */
  #unwritten = 0;
  #seq = 0;
  #now = 0;
  /** Whether a run has started and not ended. */
  #isOpen = false;
  /** The last final text of the current run. */
  #output = "";
  turns = 0;

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  /** Applies the events of one commit, made this many milliseconds after the start. */
  enter(events: Event[], now: number): void {
    this.#now = now;
    for (const event of events) this.#enter(event);
    if (events.length > 0) this.#checkHolders();
  }

  isRunning({ agent, turn, attempt }: Attempt): boolean {
    const running = this.#running.get(agent);
    return running?.turn === turn && running.attempt === attempt;
  }

  isBusy(agent: string): boolean {
    return this.#running.has(agent);
  }

  get isQuiet(): boolean {
    const isVotedOn = this.#votedOn.size > 0 || this.#unwritten > 0;
    return !isVotedOn && this.#running.size === 0 && this.except("done", "dead", "parked").length === 0;
  }

  /** Whether one more turn can run. */
  get hasPlace(): boolean {
    return this.#atWork < this.#options.concurrency;
  }

  /** Running turns that are not waiting for a person. */
  get #atWork(): number {
    return [...this.#running.keys()].filter((agent) => !this.#options.requests.isWaiting(agent)).length;
  }

  /** Deliveries that are not in one of these states. */
  except(...states: DeliveryState[]): Owed[] {
    return [...this.#owed.values()].filter(({ state }) => !states.includes(state));
  }

  /** The id under which a text was stored. */
  storedAs(content: string): string | undefined {
    return this.#stored.get(content);
  }

  /** Compares this record with the store's. */
  compare(deliveries: Delivery[]): void {
    const known = new Map(deliveries.map((delivery) => [key(delivery.message.id, delivery.agent), delivery]));
    for (const [id, { state }] of this.#owed) {
      const actual = known.get(id)?.state ?? "lost";
      if (actual !== state) this.#object(`delivery ${id} is ${actual}; its events say ${state}`);
    }
    if (known.size !== this.#owed.size) this.#object(`${known.size} deliveries; the events tell of ${this.#owed.size}`);
  }

  #enter(event: Event): void {
    this.#options.requests.enter(event, this.#now);
    switch (event.type) {
      case "workflow-start":
        this.#output = "";
        this.#unwritten = Math.max(0, this.#unwritten);
        this.#isOpen = true;
        break;
      case "task-start":
        if (!this.#isOpen) this.#object(`${event.data.step} begins after the run has ended`);
        break;
      case "workflow-end":
        this.#checkEnd(event);
        break;
      case "message":
        this.#write(event);
        break;
      case "turn-start":
        this.#start(event);
        break;
      case "turn-end":
        this.#end(event);
        break;
      case "delivery-claim":
        Object.assign(this.#move(event, ["pending"], "claimed"), { turn: event.turn, isLimited: false });
        break;
      case "delivery-done":
        this.#markDone(event);
        break;
      case "turn-retry":
        Object.assign(this.#fail(event, "pending"), {
          turn: event.turn,
          dueAt: this.#now + event.data.at - event.at,
        });
        break;
      case "delivery-dead":
        this.#fail(event, "dead");
        break;
      case "work-parked":
        this.#park(event);
        break;
      case "work-resumed":
        this.#resume(event);
        break;
      case "proposal-open":
        // Its creator can decide a tie.
        this.#votedOn.set(event.message, [...event.data.voters, event.data.creator]);
        this.#checkHolder(event.turn, "asks");
        break;
      case "proposal-vote":
        if (!this.#votedOn.get(event.message)?.includes(event.data.voter)) {
          this.#object(`${event.data.voter} has no vote on ${event.message}, or it is closed`);
        }
        this.#checkHolder(event.turn, "votes");
        break;
      case "proposal-close":
        if (!this.#votedOn.delete(event.message)) this.#object(`${event.message} is closed a second time`);
        if (event.data.status === "cancelled") break;
        this.decided.add(event.message);
        this.#unwritten += 1;
        break;
      case "document-write":
        this.#unwritten -= 1;
        break;
      default:
    }
  }

  #checkHolder(turn: string | null, does: string): void {
    if (turn === null || [...this.#running.values()].some((running) => running.turn === turn)) return;
    this.#object(`${turn} ${does}, and does not run`);
  }

  #write({ data: message, run }: EventOf<"message">): void {
    this.#seq += 1;
    if (message.seq !== this.#seq) this.#object(`message #${message.seq} follows #${this.#seq - 1}`);
    const isAsked = this.#options.isAsked(message.content);
    if (isAsked) this.#asked.add(message.id);
    const agents = message.recipients.filter((name) => name !== "user");
    for (const agent of agents) {
      const owed = this.#owe(agent, message.id, "pending", run);
      if (this.#owed.has(key(message.id, agent))) this.#object(`${agent} is owed #${message.seq} twice`);
      this.#owed.set(key(message.id, agent), owed);
    }
    if (message.sender === "system" || message.kind === "proposal") return;
    if (this.#stored.has(message.content)) this.#object(`stored twice: "${message.content}"`);
    this.#stored.set(message.content, message.id);
    this.#checkAuthor(message.content, message.sender, message.turn);
    if (message.turn) this.#address(message.turn, agents, message.content);
  }

  /** A final text does not wake agents that its turn has already written to. */
  #address(turn: string, agents: string[], content: string): void {
    const before = this.#addressed.get(turn) ?? new Set<string>();
    const again = agents.filter((agent) => before.has(agent));
    if (again.length > 0 && this.#options.words.find(content)?.isFinal) {
      this.#object(`the final text "${content}" wakes ${again.join(", ")} a second time`);
    }
    this.#addressed.set(turn, new Set([...before, ...agents]));
  }

  #owe(agent: string, message: string, state: DeliveryState, run: number): Owed {
    return { agent, message, state, run, turn: null, dueAt: this.#now, isGivenBack: false, isLimited: false };
  }

  /** An attempt's messages are stored while it runs, its final text when it succeeds; never at another time or under another name. */
  #checkAuthor(content: string, sender: string, turn: string | null): void {
    const utterance = this.#options.words.find(content);
    if (!utterance) return this.#object(`no one said "${content}"`);
    const { author, isFinal } = utterance;
    if (!author) return sender === "user" ? undefined : this.#object(`${sender} did not say "${content}"`);
    const ended = this.#ended.get(author.agent);
    const holds = isFinal
      ? ended?.status === "succeeded" && ended.turn === author.turn && ended.attempt === author.attempt
      : this.isRunning(author);
    if (!holds || sender !== author.agent || turn !== author.turn) {
      this.#object(`"${content}" of ${describe(author)} was stored for ${sender} in ${turn}, which it did not hold`);
    }
  }

  #start({ agent, turn, data }: EventOf<"turn-start">): void {
    this.turns += 1;
    const running = this.#running.get(agent);
    if (running) this.#object(`${agent} begins ${turn} while ${describe(running)} runs`);
    this.#running.set(agent, { agent, turn, attempt: data.attempt });
    if (this.#atWork > this.#options.concurrency) this.#object(`${this.#atWork} turns run at once`);
    const before = this.#attempts.get(turn) ?? 0;
    if (before > 0 && data.attempt !== before + 1) this.#object(`attempt ${data.attempt} of ${turn} follows ${before}`);
    this.#attempts.set(turn, data.attempt);
    if (data.messages.length === 0) this.#object(`${turn} begins over nothing`);
    if (data.messages.length > 1 && data.messages.some((message) => this.#asked.has(message))) {
      this.#object(`${turn} handles what was asked together with something else`);
    }
  }

  #end({ agent, turn, data }: EventOf<"turn-end">): void {
    const attempt = { agent, turn, attempt: data.attempt };
    if (!this.isRunning(attempt)) this.#object(`${describe(attempt)} ends and does not run`);
    this.#running.delete(agent);
    this.#ended.set(agent, { ...attempt, status: data.status });
    if (data.status === "succeeded") {
      const author = data.text ? this.#options.words.find(data.text)?.author : undefined;
      if (author && (author.turn !== turn || author.attempt !== data.attempt)) {
        this.#object(`${describe(attempt)} ended with the text of ${describe(author)}`);
      }
      if (data.text) this.#output = data.text;
    }
    if (data.status !== "released") return;
    for (const owed of this.#owed.values()) {
      if (owed.turn === turn && owed.state === "claimed") {
        Object.assign(owed, { state: "pending", dueAt: this.#now, isGivenBack: true });
      }
    }
  }

  #markDone(event: EventOf<"delivery-done">): void {
    const { discarded } = event.data;
    const owed = this.#move(event, discarded ? ["pending", "dead", "parked"] : ["claimed"], "done");
    if (!discarded && owed.turn !== event.turn) this.#object(`${event.turn} settles what ${owed.turn} holds`);
  }

  /** Work that a usage limit holds stays pending, and is due when the limit ends. */
  #park(event: EventOf<"work-parked">): void {
    const { until } = event.data;
    const owed = this.#move(event, ["pending", "claimed"], until === undefined ? "parked" : "pending");
    owed.isStopped = event.data.kind === "stopped";
    if (until !== undefined) Object.assign(owed, { dueAt: this.#now + until - event.at, isLimited: true });
  }

  /** Deliveries parked by the end of unfinished tasks continue with the tasks when a dead letter is redriven. */
  #resume(event: EventOf<"work-resumed">): void {
    const { isLimited, isStopped } = this.#owed.get(key(event.message, event.agent)) ?? {};
    const from: DeliveryState[] = [event.data.by === "redrive" && !isStopped ? "dead" : "parked"];
    const owed = this.#move(event, isLimited ? [...from, "pending"] : from, "pending");
    Object.assign(owed, { isGivenBack: false, isLimited: false, isStopped: false });
  }

  /** From `claimed`, or from `pending` right after a crash released it. */
  #fail(event: { agent: string; message: string; run: number }, to: DeliveryState): Owed {
    const owed = this.#owed.get(key(event.message, event.agent));
    const from: DeliveryState[] = owed?.isGivenBack ? ["claimed", "pending"] : ["claimed"];
    return this.#move({ ...event, run: owed?.run ?? event.run }, from, to);
  }

  #move(event: { agent: string; message: string; run: number }, from: DeliveryState[], to: DeliveryState): Owed {
    const { agent, message, run } = event;
    const owed = this.#owed.get(key(message, agent));
    if (!owed) {
      this.#object(`${agent} was never owed ${message}, which becomes ${to}`);
      return this.#owe(agent, message, to, run);
    }
    if (!from.includes(owed.state)) this.#object(`${message} of ${agent} goes from ${owed.state} to ${to}`);
    owed.state = to;
    owed.dueAt = this.#now;
    if (to === "claimed" || to === "pending") owed.run = run;
    return owed;
  }

  /** After each commit: every claimed delivery belongs to a running turn. */
  #checkHolders(): void {
    for (const { agent, message, state, turn } of this.#owed.values()) {
      if (state !== "claimed" || this.#running.get(agent)?.turn === turn) continue;
      this.#object(`${message} of ${agent} is claimed by ${turn}, which does not run`);
    }
  }

  #checkEnd({ run, data }: EventOf<"workflow-end">): void {
    this.#isOpen = false;
    const open = this.except("done", "dead", "parked");
    if (open.length > 0) this.#object(`run ${run} ends with ${open.length} open deliveries`);
    if (this.#running.size > 0) this.#object(`run ${run} ends with ${this.#running.size} running turns`);
    if (this.#votedOn.size > 0) this.#object(`run ${run} ends with ${this.#votedOn.size} open proposals`);
    const count = (state: DeliveryState) =>
      this.except().filter((owed) => owed.state === state && owed.run === run).length;
    const expected = { dead: count("dead"), parked: count("parked"), output: this.#output };
    const told = { dead: data.dead, parked: data.parked, output: data.output };
    if (!Bun.deepEquals(told, expected)) {
      this.#object(`run ${run} ends with ${JSON.stringify(told)}; its events say ${JSON.stringify(expected)}`);
    }
    if (data.status === "completed" && data.exitCode + data.dead + data.parked !== 0) {
      this.#object(`run ${run} is called completed: ${JSON.stringify(data)}`);
    }
  }

  #object(what: string): void {
    this.#options.onViolation(what);
  }
}

function key(message: string, agent: string): string {
  return `${message}/${agent}`;
}

function describe({ agent, turn, attempt }: Attempt): string {
  return `attempt ${attempt} of ${turn} of ${agent}`;
}
