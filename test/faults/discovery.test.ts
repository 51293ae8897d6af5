/** F8: `daemon.json` is only a hint. Whatever it contains, a command finds or starts a daemon, and signals no other process. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../src/protocol/version.ts";
import { runCommand } from "../fixtures/command.ts";
import { startDaemon } from "../fixtures/daemon.ts";
import { startDecoy } from "../fixtures/decoy.ts";
import { createPlace } from "../fixtures/place.ts";
import { isRunning } from "../fixtures/running.ts";
import { percentile, say } from "./figures.ts";

/** Only a real hang takes this long, even on a busy machine; the printed figures show the actual time. */
const limitMs = 10_000;
setDefaultTimeout(3 * limitMs);

const times: number[] = [];

type Hint = { pid: number; host: string; port: number; token: string; version: string; startedAt: number };
const hint = (more: Partial<Hint>): string =>
  JSON.stringify({ pid: 1, host: "127.0.0.1", port: 1, token: "0".repeat(64), version, startedAt: 0, ...more });

describe("a command starts a daemon where daemon.json", () => {
  test.each([
    ["is empty", ""],
    ["is cut off", hint({}).slice(0, 40)],
    ["is not JSON", "\0\0\0\0"],
    ["is another shape", "[1, 2]"],
    ["names a port that nothing can have", hint({ port: 99_999_999 })],
    ["names another host", hint({ host: "192.0.2.1" })],
    ["names a port that is not in use", hint({})],
  ])("%s", async (_, content) => {
    await using place = await createPlace();
    await using decoy = await startDecoy(place.path);
    writeFileSync(join(place.home, "daemon.json"), content.replace('"pid":1', `"pid":${decoy.pid}`));
    await expectStart(place);
    expect(decoy.signals()).toEqual([]);
    expect(isRunning(decoy.pid)).toBe(true);
  });

  test("names the port of another program", async () => {
    await using place = await createPlace();
    await using decoy = await startDecoy(place.path);
    let asked = 0;
    const stranger = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch() {
        asked++;
        return Response.json({ pid: decoy.pid + 1, version, running: 0, turns: 0 });
      },
    });
    writeFileSync(join(place.home, "daemon.json"), hint({ pid: decoy.pid, port: stranger.port }));
    await expectStart(place);
    // Commands use the socket in the home, not the port.
    expect(asked).toBe(0);
    await stranger.stop(true);
    expect(decoy.signals()).toEqual([]);
  });

  test("was left by a killed daemon", async () => {
    await using place = await createPlace();
    const killed = await startDaemon(place);
    await killed.kill();
    await expectStart(place);
    say(
      `F8: ${times.length} misleading hints, a daemon after p50 ${percentile(times, 0.5)} ms, at most ${percentile(times, 1)} ms; the decoy was never signalled`,
    );
  });
});

async function expectStart(place: Parameters<typeof runCommand>[0] & { home: string }): Promise<void> {
  const begun = performance.now();
  const { exitCode, stderr } = await runCommand(place, "ls");
  const took = performance.now() - begun;
  times.push(took);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining("started the daemon") });
  expect(took).toBeLessThan(limitMs);
  const { pid } = JSON.parse(readFileSync(join(place.home, "daemon.json"), "utf8"));
  expect(isRunning(pid)).toBe(true);
}
