/** A turn of a program that may go on from an earlier session: where the program has that no more, it begins another. */
import { type ProgramBackend, programs } from "../../protocol/backend/programs.ts";
import type { TurnSpec } from "../../protocol/worker/worker-input.ts";
import type { BackendEvent, TurnInput } from "../backends/backend.ts";
import { type Call, drive, type Reader } from "./drive.ts";
import { threadOf } from "./thread.ts";

/** How each says that it knows no such session; people delete them, and so do the programs after a while. */
const lost = {
  claude: /no conversation found with session id/i,
  codex: /no rollout found for thread id|missing source rollout/i,
  opencode: /session not found/i,
} satisfies Partial<Record<ProgramBackend, RegExp>>;

/** `prepare` is asked once more, for a spec without a conversation, where there is none to go on from. */
export async function* driveThread(
  backend: keyof typeof lost,
  spec: TurnSpec,
  turn: Pick<TurnInput, "env" | "provider" | "signal">,
  prepare: (spec: TurnSpec) => { call: Call; reader: Reader },
): AsyncGenerator<BackendEvent> {
  const { call, reader } = prepare(spec);
  let hasSpoken = false;
  let reason: string | undefined;
  for await (const event of drive(backend, spec, turn, call, reader)) {
    const failure = event.type === "turn-end" && event.outcome.status === "failed" ? event.outcome.failure : undefined;
    // What a model says about sessions is no word of the program's.
    const [words] = (failure && !hasSpoken && threadOf(spec) && lost[backend].exec(failure.message)) || [];
    if (words !== undefined) reason = `${programs[backend].name}: ${words}`;
    else yield event;
    hasSpoken = true;
  }
  if (reason === undefined) return;
  yield { type: "thread-lost", reason };
  const fresh = { ...spec, conversation: undefined };
  const again = prepare(fresh);
  yield* drive(backend, fresh, turn, again.call, again.reader);
}
