/** Requests to the daemon and streams from it, each with a deadline; tells apart "refused" and "never heard of again". */
import { AppError } from "../../protocol/error.ts";
import type { Event } from "../../protocol/event.ts";
import type { Daemon } from "./daemon-file.ts";
import { readEvents } from "../../system/sse.ts";
import { parseJson } from "../../text/json.ts";

export type Call = {
  body?: Record<string, unknown>;
  query?: Record<string, string | number | undefined>;
  headers?: Record<string, string>;
  deadlineMs?: number;
  /** False for what would act a second time when made again. */
  repeatable?: boolean;
};

/** There was no answer. `unheard`: the request is known not to have been acted upon. */
export class ConnectionLost extends Error {
  readonly unheard: boolean;

  constructor(unheard: boolean, cause: unknown) {
    super("the connection to the daemon was lost", { cause });
    this.unheard = unheard;
  }
}

const deadlineMs = 15_000;
/** The daemon sends heartbeats far more often than this. */
const silenceMs = 60_000;
/** Connections lost in a row before giving up. */
const maxLosses = 5;
const defaultPauseMs = 50;
const maxShownChars = 200;

export class Transport {
  #daemon: Daemon;
  readonly #findDaemon: () => Promise<Daemon>;
  readonly #pauseMs: number;

  /** `findDaemon` finds the daemon again, or starts it, after a connection was lost. The pauses between tries double. */
  constructor(daemon: Daemon, findDaemon: () => Promise<Daemon>, pauseMs = defaultPauseMs) {
    this.#daemon = daemon;
    this.#findDaemon = findDaemon;
    this.#pauseMs = pauseMs;
  }

  /** One answer. Made again after a lost connection, unless it could then act twice. */
  async request<Answer>(method: string, route: string, call: Call = {}): Promise<Answer> {
    for (let losses = 1; ; losses += 1) {
      try {
        const response = await this.#fetch(method, route, call, AbortSignal.timeout(call.deadlineMs ?? deadlineMs));
        return JSON.parse(await heard(response.text()));
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        if (call.repeatable === false && !error.unheard) throw unreachable("agent-worker ls shows whether it was done");
        await this.mend(losses);
      }
    }
  }

  /** Events as they come, until the stream ends; throws `ConnectionLost` when it breaks. */
  async *stream(method: string, route: string, call: Call, signal?: AbortSignal): AsyncGenerator<Event, void> {
    // Only the answer's head has a deadline: the stream itself lasts as long as the work.
    const opening = new AbortController();
    const timer = setTimeout(() => opening.abort(), deadlineMs);
    const signals = [opening.signal, ...(signal ? [signal] : [])];
    const response = await this.#fetch(method, route, call, AbortSignal.any(signals)).finally(() =>
      clearTimeout(timer),
    );
    if (!response.body) return;
    const events = readEvents(response.body, silenceMs);
    try {
      while (true) {
        const next = await heard(events.next());
        if (next.done) return;
        const event: Event = JSON.parse(next.value.data);
        yield event;
      }
    } finally {
      await events.return();
    }
  }

  /** After a lost connection: finds the daemon or starts it again, with a growing pause, a few times in a row. */
  async mend(losses: number): Promise<void> {
    if (losses > maxLosses) throw unreachable("agent-worker daemon logs shows what it last said");
    if (losses > 1) await Bun.sleep(this.#pauseMs * 2 ** losses);
    this.#daemon = await this.#findDaemon();
  }

  async #fetch(method: string, route: string, call: Call, signal: AbortSignal): Promise<Response> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) query.set(name, String(value));
    }
    const response = await heard(
      fetch(`${this.#daemon.url}${route}${query.size > 0 ? `?${query}` : ""}`, {
        method,
        headers: {
          authorization: `Bearer ${this.#daemon.token}`,
          ...(call.body && { "content-type": "application/json" }),
          ...call.headers,
        },
        ...(call.body && { body: JSON.stringify(call.body) }),
        redirect: "error",
        signal,
      }),
    );
    if (response.ok) return response;
    const failure = refusalOf(response.status, await heard(response.text()));
    // A daemon that is stopping, or a successor with a token of its own: this one is gone, and has done nothing.
    if (failure.code === "shutting-down" || failure.code === "unauthorized") throw new ConnectionLost(true, failure);
    throw failure;
  }
}

async function heard<Value>(promise: Promise<Value>): Promise<Value> {
  try {
    return await promise;
  } catch (cause) {
    throw new ConnectionLost(wasRefused(cause), cause);
  }
}

/** Whether nobody listened at all; Bun has called it by either name. */
export function wasRefused(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && ["ECONNREFUSED", "ConnectionRefused"].includes(String(error.code))
  );
}

/** What the daemon refused a request with, as its doors write it. */
export function refusalOf(status: number, text: string): AppError {
  const refusal = AppError.fromBody(parseJson(text));
  return refusal ?? new AppError("internal", `the daemon answered ${status}: ${text.slice(0, maxShownChars)}`);
}

function unreachable(hint: string): AppError {
  return new AppError("daemon-unreachable", "the daemon went away and could not be reached again", { hint });
}
