/** The worker alone, for a bundle of its own: a worker is started for every turn, and should load nothing that it does not need. */
import { runWorker } from "../src/worker/main.ts";

void runWorker();
