/** A workflow that runs, and its agents, as a program holds them. */
import type { Event } from "../../protocol/event.ts";
import type { WorkflowInfo } from "../../protocol/instance.ts";
import { pageSize } from "../../protocol/limits.ts";
import type { Message } from "../../protocol/message.ts";
import { formatTarget } from "../../protocol/target.ts";
import { isAbout } from "../render/about.ts";
import type { Client, Environment } from "../client/client.ts";
import { createOutput } from "../render/output.ts";
import { awaitAnswer } from "../client/reply.ts";

/** What an agent answered: the texts of its replies, and the replies themselves. */
export type AgentAnswer = { text: string; replies: Message[] };
export type SendOptions = {
  /** Only the agent sees it. */
  private?: boolean;
};
export type AskOptions = SendOptions & {
  /** How long the answer is waited for: half an hour unless said. The message is handled all the same. */
  timeoutMs?: number;
};

const defaultTimeoutMs = 30 * 60_000;
/** A program shows what it wants by itself. */
const silent = { json: false, quiet: true, verbose: false, color: false };

/** What the handles share. */
type Place = { client: Client; env: Environment };

/** One agent of a workflow. */
export class AgentHandle {
  readonly name: string;
  /** As people write it: `alice@review:pr-1`. */
  readonly id: string;
  readonly #place: Place;
  readonly #workflow: string;

  constructor(place: Place, { name, workflow, tag }: { name: string; workflow: string; tag: string }) {
    this.name = name;
    this.id = formatTarget({ agent: name, workflow, tag });
    this.#place = place;
    this.#workflow = formatTarget({ workflow, tag });
  }

  /** Sends a message and waits for the answer; throws when it is given up, parked, or too late. */
  async send(message: string, { timeoutMs = defaultTimeoutMs, ...options }: AskOptions = {}): Promise<AgentAnswer> {
    const { client, env } = this.#place;
    const sent = await client.send({ target: this.id, env, content: message, wait: true, ...options });
    const { replies } = await awaitAnswer(client, sent, timeoutMs, createOutput(silent, env));
    return { text: replies.map(({ content }) => content).join("\n"), replies };
  }

  /** Sends a message; when this resolves it is on disk, and the agent will handle it. */
  async sendAsync(message: string, options: SendOptions = {}): Promise<Message> {
    const { client, env } = this.#place;
    return (await client.send({ target: this.id, env, content: message, ...options })).message;
  }

  /** The latest messages that the agent has sent or been sent, oldest first. */
  async getMessages(): Promise<Message[]> {
    const { messages } = await this.#place.client.call("GET /workflows/:target/messages", {
      target: this.#workflow,
      query: { limit: pageSize },
    });
    return messages.filter((message) => isAbout(message, this.name));
  }

  /** Its worker is ended; what it is owed waits until it is started again. */
  async stop(): Promise<void> {
    await this.#place.client.setStopped(this.id, true);
  }
}

/** A workflow that was started to stay. It outlives the program unless `stop` is called. */
export class WorkflowHandle {
  readonly name: string;
  readonly tag: string;
  readonly agents: ReadonlyMap<string, AgentHandle>;
  readonly #place: Place;
  readonly #target: string;
  readonly #cursor: number;

  /** `cursor` is the place in the event table at which this run begins. */
  constructor(place: Place, { name, tag, target, agents }: WorkflowInfo, cursor: number) {
    this.name = name;
    this.tag = tag;
    this.#place = place;
    this.#target = target;
    this.#cursor = cursor;
    this.agents = new Map(
      agents.map((agent) => [agent.name, new AgentHandle(place, { name: agent.name, workflow: name, tag })]),
    );
  }

  /** Says something in the channel, as the user; `@name` wakes an agent. When this resolves it is on disk. */
  async send(message: string): Promise<Message> {
    const { client, env } = this.#place;
    return (await client.send({ target: this.#target, env, content: message })).message;
  }

  /** Everything that happens, from the start on; to its end, or until the loop is left or the signal aborted. */
  async *events({ signal }: { signal?: AbortSignal } = {}): AsyncGenerator<Event, void> {
    const place = { target: this.#target, after: this.#cursor, follow: true, signal };
    for await (const event of this.#place.client.events(place)) {
      yield event;
      if (event.type === "workflow-end") return;
    }
  }

  /** Workers are ended; open work waits, parked, until the workflow is started again. */
  async stop(): Promise<void> {
    await this.#place.client.stop(this.#target);
  }
}
