/** Entry point of a worker. */
import { directLoopback } from "../system/loopback.ts";
import { runWorker } from "../worker/main.ts";

// Before the first request: Bun reads these variables only once.
Object.assign(process.env, directLoopback(process.env));

void runWorker();
