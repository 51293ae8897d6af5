/** Lets an agent's programs speak for it, and keeps the secrets that they are given out of what is shown and stored. */
import { createRedactor } from "../text/redact.ts";
import { turnEnvironment } from "../protocol/worker/turn-environment.ts";
import type { TurnSpec } from "../protocol/worker/worker-input.ts";
import { toolEnvironment } from "./environment.ts";
import { agentEnvironment } from "./model/provider.ts";
import type { Tool } from "./tools/tool.ts";

/** The secret of the turn's server of tools: known before there is a server, so that nothing the turn says holds it. */
export function createToolSecret(): string {
  // What could be the beginning of a secret is kept back when an agent speaks; few words end like this one begins.
  return `_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url")}`;
}

/** What the tools' programs are given. An agent's `env` cannot put another secret in place of the turn's. */
export function programEnvironment(spec: TurnSpec): Record<string, string> {
  return { ...toolEnvironment(spec.env, spec.definition.env), ...turnEnvironment(spec) };
}

/** A program may print its environment; a model, an event or a message should not hold the secrets in it for that. */
export function redactResults(tools: Tool[], spec: TurnSpec): Tool[] {
  const { known } = createRedactor([spec.token], agentEnvironment(spec));
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    // Its schema is made only when asked for.
    get inputSchema() {
      return tool.inputSchema;
    },
    async run(args, options) {
      const result = await tool.run(args, options);
      return { ...result, text: known(result.text) };
    },
  }));
}
