/**
 * Uses agent-worker as a library: validates a workflow, runs it, then asks a team that keeps running.
 *
 *   scripts/bun examples/library.ts
 */
import { join } from "node:path";
import { run, start, validate } from "agent-worker";

const folder = import.meta.dir;

const { valid, errors } = await validate(join(folder, "hello.yaml"));
console.log(valid ? "hello.yaml is valid" : errors);

const { status, output, duration } = await run(join(folder, "hello.yaml"));
console.log(`hello ${status} in ${Math.round(duration)} ms: ${output}`);

const desk = await start(join(folder, "desk.yaml"), { fresh: true });
try {
  const answer = await desk.agents.get("clerk")?.send("When do you open?");
  console.log(`the clerk says: ${answer?.text}`);
  // The clerk asks the expert; the answer arrives in the channel a moment later.
  for await (const event of desk.events()) {
    if (event.type === "message" && event.data.sender === "clerk" && event.data.content.includes("@user")) {
      console.log(`and then: ${event.data.content}`);
      break;
    }
  }
} finally {
  await desk.stop();
}
