/** The backends that drive a program of others, each against the contract. */
import { backendContract } from "./backends.ts";
import { acp } from "./backends/setups/acp.ts";
import { claude } from "./backends/setups/claude.ts";
import { codex } from "./backends/setups/codex.ts";
import { cursor } from "./backends/setups/cursor.ts";
import { opencode } from "./backends/setups/opencode.ts";

for (const setup of [claude, codex, cursor, opencode, acp]) backendContract(setup);
