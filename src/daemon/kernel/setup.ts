/** `setup`: shell steps in order, each journaled, before anything else. */
import { resolve } from "node:path";
import type { SetupStep } from "../../protocol/definition.ts";
import { AppError } from "../../protocol/error.ts";
import { interpolate } from "../../workflow/interpolate.ts";
import { compileShell } from "../../workflow/shell.ts";
import type { Spawn } from "../process/spawn.ts";
import type { Instance, Store } from "../store/store.ts";
import { type Attempt, startAttempt } from "./attempt.ts";
import type { Clock } from "./clock.ts";
import { scopeOf } from "./turn-spec.ts";

export type SetupOptions = {
  store: Store;
  spawn: Spawn;
  clock: Clock;
  env: Record<string, string>;
  /** Told of each step's worker, so that a stop can end it. */
  onAttempt: (attempt: Attempt) => void;
};

/** Runs what is left of an instance's setup. False: it was stopped. Throws `setup-failed` when a step fails. */
export async function runSetup(instance: Instance, options: SetupOptions): Promise<boolean> {
  const finished = new Set(
    (await options.store.steps(instance.id)).filter(({ state }) => state === "done").map(({ step }) => step),
  );
  for (const [index, step] of instance.definition.setup.entries()) {
    const name = `setup[${index}]`;
    if (!finished.has(name) && !(await runStep(instance, name, step, options))) return false;
  }
  return true;
}

async function runStep(instance: Instance, name: string, step: SetupStep, options: SetupOptions): Promise<boolean> {
  const { store, spawn, clock, env } = options;
  const scope = await scopeOf(store, instance, env);
  const text = (template: string) => interpolate(template, scope).text;
  const own = Object.fromEntries(Object.entries(step.env).map(([key, value]) => [key, text(value)]));
  await store.beginStep(instance.id, { step: name, title: firstLine(step.shell), as: step.as ?? null });
  const attempt = startAttempt({
    spawn,
    clock,
    timeoutMs: step.timeout,
    spec: {
      kind: "shell",
      ...compileShell(step.shell).render(scope),
      cwd: step.cwd ? resolve(instance.project, text(step.cwd)) : instance.project,
      env: { ...env, ...own },
    },
  });
  options.onAttempt(attempt);
  const outcome = await attempt.ended;
  if (outcome === "stopped") return false;
  const reason = outcome.status === "failed" ? outcome.failure.message : null;
  const output = outcome.status === "succeeded" ? outcome.text : "";
  await store.endStep(instance.id, name, { ok: reason === null, output, reason });
  if (reason !== null) throw new AppError("setup-failed", `${name} (${firstLine(step.shell)}) failed: ${reason}`);
  return true;
}

function firstLine(script: string): string {
  const line = script.trim().split("\n", 1)[0] ?? "";
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
