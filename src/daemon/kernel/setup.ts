/** `setup`: shell steps in order, each journaled, before anything else. */
import { resolve } from "node:path";
import type { SetupStep } from "../../protocol/definition.ts";
import { AppError } from "../../protocol/error.ts";
import { interpolate } from "../../workflow/interpolate.ts";
import { compileShell } from "../../workflow/shell.ts";
import type { Spawn } from "../process/spawn.ts";
import type { Instance, Store } from "../store/store.ts";
import { startAttempt } from "./attempt.ts";
import { type Persisting, persist } from "./persist.ts";
import { scopeOf } from "./turn-spec.ts";

export type SetupOptions = Persisting & {
  store: Store;
  spawn: Spawn;
  env: Record<string, string>;
  /** Ends the step that runs, and begins no other. */
  signal: AbortSignal;
};

/** Runs what is left of an instance's setup. False: it was stopped. Throws `setup-failed` when a step fails. */
export async function runSetup(instance: Instance, options: SetupOptions): Promise<boolean> {
  const finished = new Set(
    (await options.store.steps(instance.id)).filter(({ state }) => state === "done").map(({ step }) => step),
  );
  for (const [index, step] of instance.definition.setup.entries()) {
    const name = `setup[${index}]`;
    if (options.signal.aborted) return false;
    if (!finished.has(name) && !(await runStep(instance, name, step, options))) return false;
  }
  return !options.signal.aborted;
}

async function runStep(instance: Instance, name: string, step: SetupStep, options: SetupOptions): Promise<boolean> {
  const { store, spawn, clock, env } = options;
  const scope = await scopeOf(store, instance, env);
  const text = (template: string) => interpolate(template, scope).text;
  const own = Object.fromEntries(Object.entries(step.env).map(([key, value]) => [key, text(value)]));
  const title = titleOf(step.shell);
  await persist(options, () => store.beginStep(instance.id, { step: name, title, as: step.as ?? null }));
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
  options.signal.addEventListener("abort", () => void attempt.stop(), { once: true });
  if (options.signal.aborted) void attempt.stop();
  const outcome = await attempt.ended;
  if (outcome === "stopped") return false;
  const reason = outcome.status === "failed" ? outcome.failure.message : null;
  const output = outcome.status === "succeeded" ? outcome.text : "";
  await persist(options, () => store.endStep(instance.id, name, { ok: reason === null, output, reason }));
  if (reason !== null) throw new AppError("setup-failed", `${name} (${title}) failed: ${reason}`);
  return true;
}

/** The first line that says something. */
function titleOf(script: string): string {
  const lines = script.split("\n").map((line) => line.trim());
  const line = lines.find((text) => text !== "" && !/^(#|set\s+[-+])/.test(text)) ?? "";
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
