/** The worker's process. */
import { runWorker } from "../worker/main.ts";

void runWorker();
