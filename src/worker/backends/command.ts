/** The command backend: any program that reads a prompt on stdin and writes its final text to stdout. */
import { MiB } from "../../protocol/limits.ts";
import type { Failure, Outcome } from "../../protocol/turn.ts";
import type { TurnSpec } from "../../protocol/worker/worker-input.ts";
import { type ChildEnd, runChild } from "../child.ts";
import { clip, createCollector } from "../../text/clip.ts";
import { environmentForUnknown } from "../program/program-environment.ts";
import { cannotStart } from "../program/failure.ts";
import { findProgram } from "../program/find-program.ts";
import { checkDaemonTools } from "../program/check-daemon-tools.ts";
import { createQueue } from "../program/queue.ts";
import { openServers } from "../program/servers.ts";
import { type BackendEvent, ended, failed, type TurnInput } from "./backend.ts";

const facts = { name: "the command" };
/** The limit of a final text; a program that prints more is ended. */
const outputBytes = 16 * MiB;
const errorTailBytes = 4_096;
const shownChars = 600;
/** EX_TEMPFAIL in sysexits.h: "try again later". */
const temporaryFailure = 75;

/**
 * The program finds the daemon's tools at AGENT_WORKER_URL, with the token in AGENT_WORKER_TOKEN, and the agent's own
 * tools at AGENT_WORKER_TOOLS_URL, with the token in AGENT_WORKER_TOOLS_TOKEN. Its exit code decides: 0 is success, 75
 * a temporary failure, anything else a permanent one.
 */
export async function* command(spec: TurnSpec, turn: TurnInput): AsyncGenerator<BackendEvent> {
  const { prompt, provider, env, signal } = turn;
  const place = { cwd: spec.cwd, env };
  const found = findProgram({ program: "", install: "set `command`" }, spec.definition.command, place);
  if ("failure" in found) return yield ended({ status: "failed", failure: found.failure });

  await using opened = await openServers(spec, turn, new Set());
  const decoder = new TextDecoder();
  const pieces = createQueue<string>(outputBytes);
  const stopping = new AbortController();
  const errors = createCollector(0, errorTailBytes);
  let [text, bytes] = ["", 0];

  const ending = runChild({
    argv: found.argv,
    cwd: spec.cwd,
    env: { ...environmentForUnknown(spec, provider), ...opened.env },
    stdin: Buffer.from(`${prompt.system}\n\n${prompt.first}`),
    signal: AbortSignal.any([signal, stopping.signal]),
    onOutput(chunk) {
      bytes += chunk.length;
      if (bytes > outputBytes) return stopping.abort();
      const piece = decoder.decode(chunk, { stream: true });
      text += piece;
      pieces.push(piece, piece.length);
      return pieces.waitForRoom();
    },
    onErrorOutput: errors.push,
  }).finally(() => pieces.close());
  // Awaited only after the pieces.
  ending.catch(() => {});

  try {
    for await (const piece of pieces) if (piece !== "") yield { type: "text-delta", text: piece };
  } finally {
    stopping.abort();
  }
  const last = await ending.catch((error: unknown) => cannotStart(found.argv[0] ?? "", error));
  signal.throwIfAborted();
  yield ended(await outcomeFor(last));

  async function outcomeFor(end: ChildEnd | Failure): Promise<Outcome> {
    if ("kind" in end) return { status: "failed", failure: end };
    if (bytes > outputBytes) return failed("permanent", `the command printed more than ${outputBytes} bytes`);
    if (end.code === 0) {
      const unavailable = await checkDaemonTools(facts, turn.daemonTools, signal);
      return unavailable ? { status: "failed", failure: unavailable } : { status: "succeeded", text: text.trim() };
    }
    const how = end.signal === null ? `exit code ${end.code}` : `signal ${end.signal}`;
    const errorText = clip(errors.text().trim(), shownChars);
    const kind = end.code === temporaryFailure || end.signal !== null ? "transient" : "permanent";
    return failed(kind, `the command failed with ${how}${errorText === "" ? "" : `: ${errorText}`}`);
  }
}
