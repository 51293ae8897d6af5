/** All backends against their contract. */
import { backendContract } from "./backends.ts";
import { setups } from "./backends/setups.ts";

for (const setup of setups) backendContract(setup);
