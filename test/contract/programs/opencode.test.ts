import { backendContract } from "../backends.ts";
import { opencode } from "../backends/setups/opencode.ts";

backendContract(opencode);
