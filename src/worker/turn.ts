/** Runs one turn of one agent: connect, read the inbox, let the backend work. */
import { reasonOf } from "../protocol/error.ts";
import { eventTextChars } from "../protocol/limits.ts";
import { createRedactor, type Redactor } from "../text/redact.ts";
import { InboxCheckResult } from "../protocol/tools/inbox.ts";
import type { Outcome } from "../protocol/turn.ts";
import type { TurnSpec } from "../protocol/worker/worker-input.ts";
import { failed, type Surroundings } from "./backends/backend.ts";
import { loadBackend } from "./backends/backends.ts";
import { clip } from "../text/clip.ts";
import { type Context, openContext } from "./context.ts";
import type { Life } from "./life.ts";
import { askPermission } from "./approval/permission.ts";
import { buildPrompt } from "./prompt.ts";
import { agentEnvironment, resolveProvider } from "./model/provider.ts";
import { createEventRedactor, redactOutcome } from "./redact.ts";
import { gateTools } from "./tools/gate.ts";
import { openToolbox, type Toolbox } from "./tools/toolbox.ts";
import { ToolTrouble } from "./tools/trouble.ts";
import { createToolSecret } from "./turn-token.ts";

/** Never rejects. */
export async function runTurn(spec: TurnSpec, life: Life): Promise<Outcome> {
  const env = agentEnvironment(spec);
  const provider = resolveProvider(spec.definition.provider, env);
  if ("failure" in provider) return { status: "failed", failure: provider.failure };
  const toolSecret = createToolSecret();
  const redactor = createRedactor([spec.token, toolSecret, provider.apiKey], env);
  return redactOutcome(await play(spec, life, { provider, env, toolSecret, redactor }), redactor);
}

async function play(
  spec: TurnSpec,
  life: Life,
  {
    provider,
    env,
    toolSecret,
    redactor,
  }: Pick<Surroundings, "provider" | "env" | "toolSecret"> & { redactor: Redactor },
): Promise<Outcome> {
  const { signal } = life;
  let opening: Promise<Toolbox> | undefined;
  try {
    const context = life.context ?? openContext(spec.mcpUrl, spec.token);
    context.useToken(spec.token);
    // While the daemon answers, what the turn needs next is loaded.
    opening = openToolbox(spec, signal);
    const [inbox, backend, { tools: ungated, skills }] = await Promise.all([
      checkInbox(context, signal),
      loadBackend(spec.definition.backend),
      opening,
    ]);
    const tools = gateTools(ungated, {
      policy: spec.definition.approval,
      cwd: spec.cwd,
      ask: (request, stop) => askPermission(context, request, stop),
    });
    const prompt = buildPrompt(spec, inbox, backend.listsSkills?.(spec) ? [] : skills);
    const { sabotage } = life;
    const surroundings = { context, tools, skills, toolSecret, inbox, prompt, provider, env, signal, sabotage };
    const redact = createEventRedactor(redactor);
    for await (const event of backend(spec, surroundings)) {
      for (const told of redact(event)) await life.emit(told);
      if (event.type === "turn-end") return event.outcome;
    }
    return failed("transient", `the backend "${spec.definition.backend}" ended without an outcome`);
  } catch (error) {
    if (signal.aborted) return failed("transient", "the turn was stopped before its end");
    const kind = error instanceof ToolTrouble ? error.kind : "transient";
    return failed(kind, reasonOf(error));
  } finally {
    // Also when something else failed meanwhile.
    const toolbox = await opening?.catch(() => undefined);
    await toolbox?.close();
  }
}

async function checkInbox(context: Context, signal: AbortSignal): Promise<InboxCheckResult> {
  const { ok, text, structured } = await context.callTool("inbox_check", {}, signal);
  if (!ok) throw new Error(`the daemon refused inbox_check: ${clip(text, eventTextChars)}`);
  return InboxCheckResult.parse(structured);
}
