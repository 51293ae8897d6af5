/**
 * F1 for the files of `provider: file`: the daemon is killed at random while people write, in a loop. After each start the
 * channel's file has every message once, complete and in order. FAULT_CYCLES=500 runs the full version;
 * FAULT_SEED sets another seed.
 */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { renderEntry } from "../../src/text/transcript.ts";
import { startDaemon, type TestDaemon } from "../fixtures/daemon.ts";
import { createPlace } from "../fixtures/place.ts";
import { until } from "../fixtures/until.ts";
import { Random } from "../simulation/random.ts";
import { say } from "./figures.ts";

const cycles = Number(process.env.FAULT_CYCLES ?? 8);
const random = new Random(Number(process.env.FAULT_SEED ?? 1));
/** The daemon is killed after at most this many messages. */
const maxMessages = 40;

/** Writes one message after another until the daemon dies. */
async function write(daemon: TestDaemon, name: string, onWritten: () => void): Promise<void> {
  for (let count = 0; ; count++) {
    try {
      await daemon.send({ target: "@team", content: `${name} ${count}\n${"x".repeat(3_000)}` });
      onWritten();
    } catch {
      return;
    }
  }
}

test(
  "the channel's file has every message once, whatever moment the daemon dies at",
  async () => {
    await using place = await createPlace();
    const path = join(place.project, ".workflow/team/main/channel.md");
    let daemon = await startDaemon(place);
    await daemon.start({
      name: "team",
      agents: { alice: { backend: "mock" }, bob: { backend: "mock" } },
      context: { provider: "file" },
    });
    let entries = 0;
    for (let cycle = 0; cycle < cycles; cycle++) {
      let left = random.int(1, maxMessages);
      const enough = Promise.withResolvers<void>();
      const onWritten = () => (--left > 0 ? undefined : enough.resolve());
      const writing = ["a", "b"].map((name) => write(daemon, `${cycle}${name}`, onWritten));
      // If the daemon dies by itself, the messages are checked anyway.
      await Promise.race([enough.promise, Promise.all(writing)]);
      await daemon.kill();
      await Promise.all(writing);
      daemon = await startDaemon(place);
      const messages = [];
      for (let page = await daemon.messages("@team", 0); page.length > 0;) {
        messages.push(...page);
        page = await daemon.messages("@team", messages.at(-1)?.seq);
      }
      const expected = messages.map(renderEntry).join("");
      await until(() => existsSync(path) && readFileSync(path, "utf8") === expected);
      entries = messages.length;
    }
    expect(entries).toBeGreaterThan(cycles);
    say(`channel.md: ${cycles} kills, ${entries} entries, each once`);
    await daemon.shutDown();
  },
  30_000 + cycles * 3_000,
);
