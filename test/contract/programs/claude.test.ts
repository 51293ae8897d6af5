import { backendContract } from "../backends.ts";
import { claude } from "../backends/setups/claude.ts";

backendContract(claude);
