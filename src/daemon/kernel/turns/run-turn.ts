/** Starts the worker of a claim, and decides how the turn ends from the worker's outcome. */
import type { Activity, StoredActivity } from "../../../protocol/event.ts";
import { finalTextBytes } from "../../../protocol/limits.ts";
import { createRedactor } from "../../../text/redact.ts";
import type { Failure, Outcome } from "../../../protocol/turn.ts";
import type { TurnSpec } from "../../../protocol/worker/worker-input.ts";
import type { Spawn } from "../../process/spawn.ts";
import type { Claim, Finish } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";
import { type Attempt, startAttempt } from "./attempt.ts";
import type { Deltas } from "../channel/deltas.ts";
import type { Environments } from "./environments.ts";
import { finalDraft } from "./final-text.ts";
import { retryDelays } from "./retry.ts";
import type { RetryOptions } from "../retry-while-unavailable.ts";
import { turnSpec } from "./turn-spec.ts";
import type { UsageLimits } from "./usage-limits.ts";

export type TurnsOptions = Pick<RetryOptions, "clock" | "report"> & {
  /** A store that retries while it is unavailable: a turn must not fail because of the store. */
  store: Store;
  random: () => number;
  spawn: Spawn;
  mcpUrl: string;
  environments: Environments;
  deltas: Deltas;
  usageLimits: UsageLimits;
};

type Ended = Awaited<Attempt["ended"]>;

/** A usage limit that ends later than this is checked again after this time. */
const maxLimitMs = 7 * 24 * 60 * 60_000;

/** Starts the worker of a claim; its activities are recorded in order, before its end. */
export async function beginTurn(options: TurnsOptions, claim: Claim, token: string): Promise<Attempt> {
  const { store, clock, spawn, mcpUrl, environments, deltas, usageLimits, report } = options;
  const env = environments.of(claim.instance);
  const context = { mcpUrl, env, usageLimits: usageLimits.lasting(clock.now()) };
  const { spec, agent, instance } = await turnSpec(store, claim, token, context);
  const head = { workflow: instance.name, tag: instance.tag, project: instance.project, run: claim.run };
  let recorded: Promise<unknown> = Promise.resolve();
  const record = (activity: StoredActivity) => {
    recorded = recorded
      .then(() => store.record(claim, [activity]))
      .catch((error: unknown) => report(`a ${activity.type} of ${claim.agent} could not be recorded`, error));
  };
  const onActivity = (activity: Activity) => {
    if (activity.type !== "text-delta") return record(activity);
    if (!deltas.hasListeners) return;
    const { type, ...data } = activity;
    const delta = { type, seq: 0, at: clock.now(), ...head, agent: claim.agent, turn: claim.turn, data };
    deltas.publish({ instance: claim.instance, event: delta });
  };
  const attempt = startAttempt({
    spawn,
    clock,
    spec,
    timeoutMs: agent.definition.timeout,
    idleTimeoutMs: agent.definition.idle_timeout,
    onActivity,
    onStart: (worker) => {
      store.noteWorker(claim, worker).catch((error: unknown) => report("a worker's pid could not be stored", error));
    },
  });
  return {
    ...attempt,
    ended: attempt.ended.then((outcome) => recorded.then(() => withoutSecrets(outcome, spec))),
  };
}

/** Decides how the turn ends; the store applies that in one transaction. */
export async function concludeTurn(
  options: Pick<TurnsOptions, "store" | "random" | "clock" | "usageLimits">,
  claim: Claim,
  outcome: Outcome,
): Promise<Finish> {
  const { store, random, clock, usageLimits } = options;
  if (outcome.status === "succeeded") {
    if (Buffer.byteLength(outcome.text) > finalTextBytes) return concludeTurn(options, claim, tooLong(outcome));
    // Not the claim's own list: the turn also answers messages it received later.
    const claimed = await store.deliveries(claim.instance, { agent: claim.agent, states: ["claimed"], limit: 1_000 });
    return { outcome, final: finalDraft(claim.agent, outcome.text, claimed), delaysMs: [] };
  }
  const { failure } = outcome;
  const agent = (await store.agents(claim.instance)).find(({ name }) => name === claim.agent);
  const delaysMs = agent ? retryDelays(agent.definition.retry, failure, random) : [];
  if (failure.credential !== undefined && failure.until !== undefined) {
    usageLimits.note({ credential: failure.credential, until: failure.until, reason: failure.message });
  }
  return { outcome, delaysMs, ...parking(failure, clock.now()) };
}

/** A worker redacts its own messages, but the output of one that crashed can contain anything. */
function withoutSecrets(outcome: Ended, { token, env, definition }: TurnSpec): Ended {
  if (outcome === "stopped" || outcome.status === "succeeded") return outcome;
  const { failure } = outcome;
  const message = createRedactor([token], { ...env, ...definition.env }).text(failure.message);
  return { ...outcome, failure: { ...failure, message } };
}

function tooLong({ usage }: Outcome): Outcome {
  const message = `the final text is over ${finalTextBytes / 1024 / 1024} MiB`;
  return { status: "failed", failure: { kind: "permanent", message }, usage };
}

/** A usage limit with a known end holds the work until then; otherwise the work waits for a person, as with a missing key. */
function parking({ kind, message: reason, until }: Failure, now: number): Pick<Finish, "park"> {
  if (kind === "credentials") return { park: { kind, reason } };
  if (kind !== "usage-limit") return {};
  return { park: { kind, reason, ...(until !== undefined && { until: Math.min(until, now + maxLimitMs) }) } };
}
