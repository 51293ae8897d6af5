/** Gives an agent's programs the turn's token, and keeps secrets out of what is shown and stored. */
import { createRedactor } from "../text/redact.ts";
import { turnEnvironment } from "../protocol/worker/turn-environment.ts";
import type { TurnSpec } from "../protocol/worker/worker-input.ts";
import { toolEnvironment } from "./tool-environment.ts";
import { agentEnvironment } from "./model/provider.ts";
import type { Tool } from "./tools/tool.ts";

/** The secret of the turn's tool server. Created first, so that everything the turn reports can be redacted. */
export function createToolSecret(): string {
  // Streamed text that could be the start of a secret is held back. Few words end with an underscore.
  return `_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url")}`;
}

/** The environment of the tools' programs. An agent's `env` cannot replace the turn's token. */
export function programEnvironment(spec: TurnSpec): Record<string, string> {
  return { ...toolEnvironment(spec.env, spec.definition.env), ...turnEnvironment(spec) };
}

/** A program may print its environment. Its secrets must not reach a model, an event or a message. */
export function redactResults(tools: Tool[], spec: TurnSpec): Tool[] {
  const { known } = createRedactor([spec.token], agentEnvironment(spec));
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    // Built only when needed.
    get inputSchema() {
      return tool.inputSchema;
    },
    async run(args, options) {
      const result = await tool.run(args, options);
      return { ...result, text: known(result.text) };
    },
  }));
}
