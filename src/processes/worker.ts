/** The worker's process. */
import { directLoopback } from "../system/loopback.ts";
import { runWorker } from "../worker/main.ts";

// Before the first request: Bun looks at these variables once.
Object.assign(process.env, directLoopback(process.env));

void runWorker();
