/**
 * Runs one turn of a program: starts it, reads its events, ends it when the turn is over or has failed, and reports the
 * outcome.
 */
import { bypassIn, bypassProblem } from "../../protocol/backend/bypass.ts";
import type { ProgramBackend } from "../../protocol/backend/programs.ts";
import { programs } from "../../protocol/backend/programs.ts";
import type { Failure, Outcome, Usage } from "../../protocol/turn.ts";
import type { TurnSpec } from "../../protocol/worker/worker-input.ts";
import { type BackendEvent, ended, type TurnInput } from "../backends/backend.ts";
import { environmentFor } from "./program-environment.ts";
import { endedWithoutResult, cannotStart } from "./failure.ts";
import { findProgram } from "./find-program.ts";
import { type Program, type ProgramEvent, startProgram } from "./program.ts";

/** How to call a program, without its own path. */
export type Call = { args: string[]; env: Record<string, string>; input: string };

/** Interprets the output of one run of a program. */
export type Reader = {
  /** Translates an event. */
  read(event: ProgramEvent): Iterable<BackendEvent>;
  /** The same for a line of stderr. */
  readErrorLine?(line: string): void;
  /**
   * A failure that makes continuing pointless: the program is ended, and the turn fails with it. Checked after each
   * line.
   */
  fatal(): Failure | undefined;
  /** The outcome that the program reported; undefined if it reported none. */
  outcome(): Outcome | undefined;
  /**
   * Whether the program has sent the last event of its turn. Omitted if the protocol has no such event. Checked after
   * each line; later lines are not read.
   */
  isFinished?(): boolean;
  usage(): Usage | undefined;
};

/** Time to exit after the last event. A program that waits for a background command would never exit. */
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

/** Resolves when the program has exited, by itself or because it took too long. How it ended does not matter here. */
async function waitForExit({ ended: end, stop }: Program): Promise<void> {
  const timer = setTimeout(stop, exitGraceMs);
  await end.catch(() => {});
  clearTimeout(timer);
}

/** Checked here as well as in the workflow, because mocks can be set after the workflow was checked. */
function bypassOf(backend: ProgramBackend, { definition, mocks = {} }: TurnSpec): string | undefined {
  const isMocked = Object.keys(mocks).length > 0;
  if (definition.approval === undefined && !isMocked) return undefined;
  const flag = bypassIn(backend, definition.command);
  return flag && bypassProblem(flag, definition.approval ? "`approval`" : "the mocked tools");
}
