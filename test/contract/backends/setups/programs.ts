/** The backends that drive a program, in the order of the support table. */
import type { BackendSetup } from "../setup.ts";
import { acp } from "./acp.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { command } from "./command.ts";
import { cursor } from "./cursor.ts";
import { opencode } from "./opencode.ts";

export const programSetups: BackendSetup[] = [claude, codex, cursor, opencode, acp, command];
