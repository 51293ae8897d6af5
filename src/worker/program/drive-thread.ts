/** Runs a turn that may resume a program's earlier session. If the program no longer has it, starts a new one. */
import { type ProgramBackend, programs } from "../../protocol/backend/programs.ts";
import type { TurnSpec } from "../../protocol/worker/worker-input.ts";
import type { BackendEvent, TurnInput } from "../backends/backend.ts";
import { type Call, drive, type Reader } from "./drive.ts";
import { threadOf } from "./thread.ts";

/** How each program reports an unknown session. People delete sessions, and so do the programs after a while. */
const lostSession = {
  claude: /no conversation found with session id/i,
  codex: /no rollout found for thread id|missing source rollout/i,
  opencode: /session not found/i,
} satisfies Partial<Record<ProgramBackend, RegExp>>;

/** If the session is lost, calls `prepare` again, with a spec without a conversation. */
export async function* driveThread(
  backend: keyof typeof lostSession,
  spec: TurnSpec,
  turn: Pick<TurnInput, "env" | "provider" | "signal">,
  prepare: (spec: TurnSpec) => { call: Call; reader: Reader },
): AsyncGenerator<BackendEvent> {
  const { call, reader } = prepare(spec);
  let hasEvents = false;
  let reason: string | undefined;
  for await (const event of drive(backend, spec, turn, call, reader)) {
    const failure = event.type === "turn-end" && event.outcome.status === "failed" ? event.outcome.failure : undefined;
    // Only before any output: afterwards, text about sessions may come from the model.
    const [matched] = (failure && !hasEvents && threadOf(spec) && lostSession[backend].exec(failure.message)) || [];
    if (matched !== undefined) reason = `${programs[backend].name}: ${matched}`;
    else yield event;
    hasEvents = true;
  }
  if (reason === undefined) return;
  yield { type: "thread-lost", reason };
  const fresh = { ...spec, conversation: undefined };
  const again = prepare(fresh);
  yield* drive(backend, fresh, turn, again.call, again.reader);
}
