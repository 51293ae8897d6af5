/** The backends that are tested with a stub instead of a real program. */
import { backendContract } from "../backends.ts";
import { command } from "../backends/setups/command.ts";
import { cursor } from "../backends/setups/cursor.ts";

for (const setup of [cursor, command]) backendContract(setup);
