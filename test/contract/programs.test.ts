/** The backends that drive a program of others, each against the contract. */
import { backendContract } from "./backends.ts";
import { programSetups } from "./backends/setups/programs.ts";

for (const setup of programSetups) backendContract(setup);
