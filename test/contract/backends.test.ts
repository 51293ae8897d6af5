/** Runs the backend contract for each variant of the `sdk` backend. */
import { backendContract } from "./backends.ts";
import { setups } from "./backends/setups.ts";

for (const setup of setups) backendContract(setup);
