/** Runs one turn of one agent: connects, reads the inbox and runs the backend. */
import { reasonOf } from "../protocol/error.ts";
import { eventTextChars } from "../protocol/limits.ts";
import { createRedactor, type Redactor } from "../text/redact.ts";
import { InboxCheckResult } from "../protocol/tools/inbox.ts";
import type { Outcome } from "../protocol/turn.ts";
import type { TurnSpec } from "../protocol/worker/worker-input.ts";
import { failed, type TurnInput } from "./backends/backend.ts";
import { loadBackend } from "./backends/backends.ts";
import { clip } from "../text/clip.ts";
import { type DaemonTools, openDaemonTools } from "./daemon-tools.ts";
import type { TurnHost } from "./turn-host.ts";
import { askPermission } from "./approval/permission.ts";
import { buildPrompt } from "./prompt.ts";
import { agentEnvironment, resolveProvider } from "./model/provider.ts";
import { createEventRedactor, redactOutcome } from "./redact.ts";
import { requireApproval } from "./tools/require-approval.ts";
import { openToolbox, type Toolbox } from "./tools/toolbox.ts";
import { ToolSetupError } from "./tools/tool-setup-error.ts";
import { createToolSecret } from "./turn-secrets.ts";

/** Never rejects. */
export async function runTurn(spec: TurnSpec, host: TurnHost): Promise<Outcome> {
  const env = agentEnvironment(spec);
  const provider = resolveProvider(spec.definition.provider, env);
  if ("failure" in provider) return { status: "failed", failure: provider.failure };
  const toolSecret = createToolSecret();
  const redactor = createRedactor([spec.token, toolSecret, provider.apiKey], env);
  return redactOutcome(await runBackend(spec, host, { provider, env, toolSecret, redactor }), redactor);
}

async function runBackend(
  spec: TurnSpec,
  host: TurnHost,
  { provider, env, toolSecret, redactor }: Pick<TurnInput, "provider" | "env" | "toolSecret"> & { redactor: Redactor },
): Promise<Outcome> {
  const { signal } = host;
  let opening: Promise<Toolbox> | undefined;
  try {
    const daemonTools = host.daemonTools ?? openDaemonTools(spec.mcpUrl, spec.token);
    daemonTools.useToken(spec.token);
    // Load what the turn needs next while the daemon answers.
    opening = openToolbox(spec, signal);
    const [inbox, backend, { tools: unrestricted, skills }] = await Promise.all([
      checkInbox(daemonTools, signal),
      loadBackend(spec.definition.backend),
      opening,
    ]);
    const tools = requireApproval(unrestricted, {
      policy: spec.definition.approval,
      cwd: spec.cwd,
      ask: (request, stop) => askPermission(daemonTools, request, stop),
    });
    const prompt = buildPrompt(spec, inbox, backend.listsSkills?.(spec) ? [] : skills);
    const { sabotage } = host;
    const turn = { daemonTools, tools, skills, toolSecret, inbox, prompt, provider, env, signal, sabotage };
    const redact = createEventRedactor(redactor);
    for await (const event of backend(spec, turn)) {
      for (const redacted of redact(event)) await host.emit(redacted);
      if (event.type === "turn-end") return event.outcome;
    }
    return failed("transient", `the backend "${spec.definition.backend}" ended without an outcome`);
  } catch (error) {
    if (signal.aborted) return failed("transient", "the turn was stopped");
    const kind = error instanceof ToolSetupError ? error.kind : "transient";
    return failed(kind, reasonOf(error));
  } finally {
    // Also when another step failed.
    const toolbox = await opening?.catch(() => undefined);
    await toolbox?.close();
  }
}

async function checkInbox(daemonTools: DaemonTools, signal: AbortSignal): Promise<InboxCheckResult> {
  const { ok, text, structured } = await daemonTools.callTool("inbox_check", {}, signal);
  if (!ok) throw new Error(`the daemon refused inbox_check: ${clip(text, eventTextChars)}`);
  return InboxCheckResult.parse(structured);
}
