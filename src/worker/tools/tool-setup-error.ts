/** Why an agent's tools are not available; the turn fails with it. */
import type { Failure } from "../../protocol/turn.ts";

export class ToolSetupError extends Error {
  readonly kind: Failure["kind"];

  constructor(kind: Failure["kind"], message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}
