/** Requests to the daemon and event streams from it, with deadlines. Distinguishes an error answer from a lost connection. */
import { AppError } from "../../protocol/error.ts";
import type { Event } from "../../protocol/event.ts";
import { type DaemonAddress, fetchDaemon, isConnectionRefused } from "./fetch-daemon.ts";
import { readEvents } from "../../system/sse.ts";
import { parseJson } from "../../text/json.ts";

export type Call = {
  body?: Record<string, unknown>;
  query?: Record<string, string | number | undefined>;
  headers?: Record<string, string>;
  deadlineMs?: number;
  /** False for requests that must not be sent twice. */
  repeatable?: boolean;
};

/** There was no answer. `unprocessed`: the daemon has certainly not acted on the request. */
export class ConnectionLost extends Error {
  readonly unprocessed: boolean;

  constructor(unprocessed: boolean, cause: unknown) {
    super("the connection to the daemon was lost", { cause });
    this.unprocessed = unprocessed;
  }
}

const deadlineMs = 15_000;
/** The daemon sends heartbeats far more often than this. */
const maxSilenceMs = 60_000;
/** Connections lost in a row before giving up. */
const maxLosses = 5;
const defaultPauseMs = 50;
const maxShownChars = 200;

export class Transport {
  #daemon: DaemonAddress;
  readonly #findDaemon: () => Promise<DaemonAddress>;
  readonly #pauseMs: number;

  /** `findDaemon` finds the daemon again, or starts it, after a lost connection. The pause between attempts doubles. */
  constructor(daemon: DaemonAddress, findDaemon: () => Promise<DaemonAddress>, pauseMs = defaultPauseMs) {
    this.#daemon = daemon;
    this.#findDaemon = findDaemon;
    this.#pauseMs = pauseMs;
  }

  /** Sends a request and returns the answer. Repeats it after a lost connection, unless it must not be sent twice. */
  async request<Answer>(method: string, route: string, call: Call = {}): Promise<Answer> {
    for (let losses = 1; ; losses += 1) {
      try {
        const response = await this.#fetch(method, route, call, AbortSignal.timeout(call.deadlineMs ?? deadlineMs));
        return JSON.parse(await orConnectionLost(response.text()));
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        if (call.repeatable === false && !error.unprocessed)
          throw unreachable("agent-worker ls shows whether the request took effect");
        await this.reconnect(losses);
      }
    }
  }

  /** Events as they arrive, until the stream ends. Throws `ConnectionLost` when it breaks. */
  async *stream(method: string, route: string, call: Call, signal?: AbortSignal): AsyncGenerator<Event, void> {
    // Only the response headers have a deadline: the stream itself lasts as long as the work.
    const opening = new AbortController();
    const timer = setTimeout(() => opening.abort(), deadlineMs);
    const signals = [opening.signal, ...(signal ? [signal] : [])];
    const response = await this.#fetch(method, route, call, AbortSignal.any(signals)).finally(() =>
      clearTimeout(timer),
    );
    if (!response.body) return;
    const events = readEvents(response.body, maxSilenceMs);
    try {
      while (true) {
        const next = await orConnectionLost(events.next());
        if (next.done) return;
        const event: Event = JSON.parse(next.value.data);
        yield event;
      }
    } finally {
      await events.return();
    }
  }

  /** After a lost connection: finds or starts the daemon, after a growing pause. Gives up after a few losses in a row. */
  async reconnect(losses: number): Promise<void> {
    if (losses > maxLosses) throw unreachable("agent-worker daemon logs shows its last messages");
    if (losses > 1) await Bun.sleep(this.#pauseMs * 2 ** losses);
    this.#daemon = await this.#findDaemon();
  }

  async #fetch(method: string, route: string, call: Call, signal: AbortSignal): Promise<Response> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) query.set(name, String(value));
    }
    const response = await orConnectionLost(
      fetchDaemon(this.#daemon, `${route}${query.size > 0 ? `?${query}` : ""}`, {
        method,
        headers: { ...(call.body && { "content-type": "application/json" }), ...call.headers },
        ...(call.body && { body: JSON.stringify(call.body) }),
        signal,
      }),
    );
    if (response.ok) return response;
    const failure = refusalOf(response.status, await orConnectionLost(response.text()));
    if (isFromReplaced(failure)) throw new ConnectionLost(true, failure);
    throw failure;
  }
}

/** Turns every failure into `ConnectionLost`. */
async function orConnectionLost<Value>(promise: Promise<Value>): Promise<Value> {
  try {
    return await promise;
  } catch (cause) {
    throw new ConnectionLost(isConnectionRefused(cause), cause);
  }
}

/** The daemon is stopping, or another one with a new token has replaced it: the request was not processed. */
export function isFromReplaced({ code }: AppError): boolean {
  return code === "shutting-down" || code === "unauthorized";
}

/** The error in a response of the daemon. */
export function refusalOf(status: number, text: string): AppError {
  const refusal = AppError.fromBody(parseJson(text));
  return refusal ?? new AppError("internal", `the daemon answered ${status}: ${text.slice(0, maxShownChars)}`);
}

function unreachable(hint: string): AppError {
  return new AppError("daemon-unreachable", "the connection to the daemon was lost and could not be restored", {
    hint,
  });
}
