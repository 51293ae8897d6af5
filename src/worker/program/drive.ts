/** One turn of a program: starts it, reads its events, ends it when its turn is over or cannot succeed, and judges. */
import { bypassIn, bypassProblem } from "../../protocol/backend/bypass.ts";
import type { ProgramBackend } from "../../protocol/backend/programs.ts";
import { programs } from "../../protocol/backend/programs.ts";
import type { Failure, Outcome, Usage } from "../../protocol/turn.ts";
import type { TurnSpec } from "../../protocol/worker/worker-input.ts";
import { type BackendEvent, ended, type TurnInput } from "../backends/backend.ts";
import { environmentFor } from "./environment.ts";
import { endedWithoutResult, cannotStart } from "./failure.ts";
import { findProgram } from "./find-program.ts";
import { type Program, type ProgramEvent, startProgram } from "./program.ts";

/** How a program is called, behind its own name. */
export type Call = { args: string[]; env: Record<string, string>; input: string };

/** Understands what one run of a program says. */
export type Reader = {
  /** What an event means to those who watch. */
  read(event: ProgramEvent): Iterable<BackendEvent>;
  /** The same for a line of stderr. */
  readErrorLine?(line: string): void;
  /** Why going on makes no sense: the program is ended, and this is how the turn went. Asked after each line. */
  fatal(): Failure | undefined;
  /** How the turn went, by the program's own last word; undefined where it had none. */
  outcome(): Outcome | undefined;
  /**
   * Whether the program has sent the last event of its turn. Left out where the protocol has no such event. Asked after
   * each line; later lines are not read.
   */
  isFinished?(): boolean;
  usage(): Usage | undefined;
};

/** How long a program may take to exit after the last event of its turn; one that waits for a background command never would. */
const exitGraceMs = 2_000;

export async function* drive(
  backend: ProgramBackend,
  spec: TurnSpec,
  { env, provider, signal }: Pick<TurnInput, "env" | "provider" | "signal">,
  call: Call,
  reader: Reader,
): AsyncGenerator<BackendEvent> {
  const facts = programs[backend];
  const { cwd, definition } = spec;
  const bypass = bypassOf(backend, spec);
  if (bypass !== undefined) {
    return yield ended({ status: "failed", failure: { kind: "permanent", message: `${facts.name}: ${bypass}` } });
  }
  const found = findProgram(facts, definition.command, { cwd, env });
  if ("failure" in found) return yield ended({ status: "failed", failure: found.failure });

  const program = startProgram({
    argv: [...found.argv, ...call.args],
    cwd,
    env: { ...environmentFor(backend, spec, provider), ...call.env },
    input: call.input,
    signal,
    onErrorLine(line) {
      reader.readErrorLine?.(line);
      if (reader.fatal()) program.stop();
    },
  });
  let isFinished = false;
  try {
    for await (const event of program.events) {
      yield* reader.read(event);
      isFinished = reader.isFinished?.() ?? false;
      if (reader.fatal()) program.stop();
      else if (isFinished) break;
    }
    await waitForExit(program);
  } finally {
    program.stop();
    await program.ended.catch(() => {});
  }
  const end = await program.ended.catch((error: unknown) => cannotStart(found.argv[0] ?? "", error));
  signal.throwIfAborted();
  if ("kind" in end) return yield ended({ status: "failed", failure: end });
  const usage = reader.usage();
  const failure = reader.fatal();
  if (failure) return yield ended({ status: "failed", failure, usage });
  const outcome = isFinished || end.limitExceeded === undefined ? reader.outcome() : undefined;
  const { model } = definition;
  const noResult = (): Outcome => ({
    status: "failed",
    failure: endedWithoutResult(facts, found.argv[0] ?? "", end, { model }),
    usage,
  });
  yield ended(outcome ?? noResult());
}

/** Resolves when the program has ended, by itself or because it took too long. How it ended does not matter here. */
async function waitForExit({ ended: end, stop }: Program): Promise<void> {
  const timer = setTimeout(stop, exitGraceMs);
  await end.catch(() => {});
  clearTimeout(timer);
}

/** A mock is set when the workflow has long been checked. */
function bypassOf(backend: ProgramBackend, { definition, mocks = {} }: TurnSpec): string | undefined {
  const isMocked = Object.keys(mocks).length > 0;
  if (definition.approval === undefined && !isMocked) return undefined;
  const flag = bypassIn(backend, definition.command);
  return flag && bypassProblem(flag, definition.approval ? "`approval`" : "the mocked tools");
}
