/** The TypeScript API's handles of a running workflow and its agents. */
import type { Event } from "../../protocol/event.ts";
import type { WorkflowInfo } from "../../protocol/instance.ts";
import { pageSize } from "../../protocol/limits.ts";
import type { Message } from "../../protocol/message.ts";
import { formatTarget } from "../../protocol/target.ts";
import { messageInvolves } from "../render/involves-agent.ts";
import type { Client, Environment } from "../client/client.ts";
import { createOutput } from "../render/output.ts";
import { awaitAnswer } from "../client/await-answer.ts";

/** An agent's answer: the text of its replies, and the replies themselves. */
export type AgentAnswer = { text: string; replies: Message[] };
export type SendOptions = {
  /** Only this agent sees the message. */
  private?: boolean;
};
export type AskOptions = SendOptions & {
  /** How long to wait for the answer. Default: 30 minutes. The message is still handled after that. */
  timeoutMs?: number;
};

const defaultTimeoutMs = 30 * 60_000;
/** The API prints nothing: a program decides what to show. */
const silentOutput = { json: false, quiet: true, verbose: false, color: false };

/** What all handles share. */
type Connection = { client: Client; env: Environment };

/** One agent of a workflow. */
export class AgentHandle {
  readonly name: string;
  /** The agent's target: `alice@review:pr-1`. */
  readonly id: string;
  readonly #connection: Connection;
  readonly #workflow: string;

  constructor(connection: Connection, { name, workflow, tag }: { name: string; workflow: string; tag: string }) {
    this.name = name;
    this.id = formatTarget({ agent: name, workflow, tag });
    this.#connection = connection;
    this.#workflow = formatTarget({ workflow, tag });
  }

  /** Sends a message and waits for the answer. Throws when the message is dead or parked, or on timeout. */
  async send(message: string, { timeoutMs = defaultTimeoutMs, ...options }: AskOptions = {}): Promise<AgentAnswer> {
    const { client, env } = this.#connection;
    const sent = await client.send({ target: this.id, env, content: message, wait: true, ...options });
    const { replies } = await awaitAnswer(client, sent, timeoutMs, createOutput(silentOutput, env));
    return { text: replies.map(({ content }) => content).join("\n"), replies };
  }

  /** Sends a message without waiting for the answer. When this resolves, the message is on disk and the agent will handle it. */
  async sendAsync(message: string, options: SendOptions = {}): Promise<Message> {
    const { client, env } = this.#connection;
    return (await client.send({ target: this.id, env, content: message, ...options })).message;
  }

  /** The latest messages that the agent has sent or received, oldest first. */
  async getMessages(): Promise<Message[]> {
    const { messages } = await this.#connection.client.call("GET /workflows/:target/messages", {
      target: this.#workflow,
      query: { limit: pageSize },
    });
    return messages.filter((message) => messageInvolves(message, this.name));
  }

  /** Ends the agent's worker. Its messages wait until it is started again. */
  async stop(): Promise<void> {
    await this.#connection.client.setStopped(this.id, true);
  }
}

/** A workflow that keeps running, even after the program ends, until `stop` is called. */
export class WorkflowHandle {
  readonly name: string;
  readonly tag: string;
  readonly agents: ReadonlyMap<string, AgentHandle>;
  readonly #connection: Connection;
  readonly #target: string;
  readonly #cursor: number;

  /** `cursor` is the position in the event table where this run begins. */
  constructor(connection: Connection, { name, tag, target, agents }: WorkflowInfo, cursor: number) {
    this.name = name;
    this.tag = tag;
    this.#connection = connection;
    this.#target = target;
    this.#cursor = cursor;
    this.agents = new Map(
      agents.map((agent) => [agent.name, new AgentHandle(connection, { name: agent.name, workflow: name, tag })]),
    );
  }

  /** Sends a message to the channel, as the user; `@name` wakes an agent. When this resolves, the message is on disk. */
  async send(message: string): Promise<Message> {
    const { client, env } = this.#connection;
    return (await client.send({ target: this.#target, env, content: message })).message;
  }

  /** All events since the start, until the workflow ends, the loop is left, or the signal is aborted. */
  async *events({ signal }: { signal?: AbortSignal } = {}): AsyncGenerator<Event, void> {
    const request = { target: this.#target, after: this.#cursor, follow: true, signal };
    for await (const event of this.#connection.client.events(request)) {
      yield event;
      if (event.type === "workflow-end") return;
    }
  }

  /** Ends the workers. Open work is parked until the workflow is started again. */
  async stop(): Promise<void> {
    await this.#connection.client.stop(this.#target);
  }
}
