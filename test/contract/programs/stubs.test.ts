/** The backends whose programs are stubs here. */
import { backendContract } from "../backends.ts";
import { command } from "../backends/setups/command.ts";
import { cursor } from "../backends/setups/cursor.ts";

for (const setup of [cursor, command]) backendContract(setup);
