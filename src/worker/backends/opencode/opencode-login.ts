/** Checks whether OpenCode can log in: with the key that it gets for the turn, or its own login. */
import type { TurnSpec } from "../../../protocol/worker/worker-input.ts";
import { hasLoginFile, type LoginSources } from "../../program/login.ts";
import { opencodeKey } from "./opencode-key.ts";

const loginFile = { variable: "XDG_DATA_HOME", folder: ".local/share", file: "opencode/auth.json" };

export function opencodeHasLogin(spec: TurnSpec, sources: LoginSources): boolean {
  return opencodeKey(spec, sources) !== undefined || hasLoginFile(sources.env, loginFile);
}
