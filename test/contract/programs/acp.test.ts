import { backendContract } from "../backends.ts";
import { acp } from "../backends/setups/acp.ts";

backendContract(acp);
