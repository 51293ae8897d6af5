/** Runs a turn that may resume a program's earlier session. If the program no longer has it, starts a new one. */
import { programs, type ThreadBackend } from "../../protocol/backend/programs.ts";
import type { TurnSpec } from "../../protocol/worker/worker-input.ts";
import type { BackendEvent, TurnInput } from "../backends/backend.ts";
import { type Call, drive, type Reader } from "./drive.ts";
import { threadOf } from "./thread.ts";

/** If the session is lost, calls `prepare` again, with a spec without a conversation. */
export async function* driveThread(
  backend: ThreadBackend,
  spec: TurnSpec,
  turn: Pick<TurnInput, "env" | "provider" | "signal">,
  prepare: (spec: TurnSpec) => { call: Call; reader: Reader },
): AsyncGenerator<BackendEvent> {
  const { name, lostSession } = programs[backend];
  const { call, reader } = prepare(spec);
  let hasEvents = false;
  let reason: string | undefined;
  for await (const event of drive(backend, spec, turn, call, reader)) {
    const failure = event.type === "turn-end" && event.outcome.status === "failed" ? event.outcome.failure : undefined;
    // Only before any output: afterwards, text about sessions may come from the model.
    const [matched] = (failure && !hasEvents && threadOf(spec) && lostSession.exec(failure.message)) || [];
    if (matched !== undefined) reason = `${name}: ${matched}`;
    else yield event;
    hasEvents = true;
  }
  if (reason === undefined) return;
  yield { type: "thread-lost", reason };
  const fresh = { ...spec, conversation: undefined };
  const again = prepare(fresh);
  yield* drive(backend, fresh, turn, again.call, again.reader);
}
