import { backendContract } from "../backends.ts";
import { codex } from "../backends/setups/codex.ts";

backendContract(codex);
