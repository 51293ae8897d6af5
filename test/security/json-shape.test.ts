/** A body whose JSON would cost far more memory than its text is refused before it is parsed. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { MiB, jsonDepth, jsonValues, requestBytes } from "../../src/protocol/limits.ts";
import { startDaemon } from "../fixtures/daemon.ts";
import { claimTurn, openTeam } from "../fixtures/claimed-turn.ts";
import { openTestDaemon } from "../fixtures/open-daemon.ts";
import { createPlace } from "../fixtures/place.ts";

/** The largest body: the text, repeated after another. */
const fill = (text: string, before = "") =>
  Buffer.concat([Buffer.from(before), Buffer.alloc(requestBytes - before.length, text)]);

const costly: Record<string, () => Buffer> = {
  "32 MiB of [": () => fill("["),
  "objects in objects": () => fill('{"":'),
  "lists after a text with quotes and brackets": () => fill("[", `{"a\\"]]":"\\\\","b":`),
  "a flat list of empty objects": () => fill("{},", "["),
  "a flat list of numbers": () => fill("0,", "["),
  "one object with many keys": () => fill('"":0,', "{"),
};

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

describe("a costly body", () => {
  test.each(Object.entries(costly))("of %s costs the daemon little memory", async (_, make) => {
    await using place = await createPlace();
    const daemon = await startDaemon(place, { AGENT_WORKER_SPARES: "0" });
    const before = memoryOf(daemon.child.pid, "VmRSS");
    for (const route of ["/mcp", "/messages"]) {
      const response = await fetch(`${daemon.url}${route}`, {
        method: "POST",
        headers: { authorization: `Bearer ${daemon.file.token}`, "content-type": "application/json" },
        body: make(),
        signal: AbortSignal.timeout(10_000),
      });
      expect({ route, status: response.status }).toEqual({ route, status: 400 });
      expect(await response.text()).toContain("the body is");
    }
    expect((memoryOf(daemon.child.pid, "VmHWM") - before) / MiB).toBeLessThan(64);
  });

  test("is refused with a turn's token, sent at once or in chunks", async () => {
    await using house = await openTestDaemon();
    const instance = await openTeam(house.store, house.project, ["alice"]);
    const { token } = await claimTurn(house.store, instance, "alice");
    for (const body of Object.values(costly).map((make) => make().subarray(0, 2 * MiB))) {
      const refused = { status: 400, error: { code: "usage" } };
      expect(await house.ask("POST", "/mcp", { token, body })).toMatchObject(refused);
      const response = await fetch(`${house.url}/mcp`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        // One byte in the first chunk: quotes and escapes are split between chunks.
        body: new Blob([body]).stream().pipeThrough(splitFirst()),
      });
      expect(response.status).toBe(400);
    }
  });
});

describe("a body", () => {
  test("of the maximum depth is parsed, and one level more is refused with the limit", async () => {
    await using house = await openTestDaemon();
    const ask = (body: string) => house.ask("POST", "/messages", { body });
    expect((await ask(nested(jsonDepth))).error?.message).toMatch(/expected object/);
    expect((await ask(nested(jsonDepth + 1))).error?.message).toBe(
      `the body is nested too deeply: at most ${jsonDepth} levels`,
    );
  });

  test("of the maximum number of values is parsed, and one more is refused with the limit", async () => {
    await using house = await openTestDaemon();
    const ask = (count: number) => house.ask("POST", "/messages", { body: `[0${",0".repeat(count - 2)}]` });
    expect((await ask(jsonValues)).error?.message).toMatch(/expected object/);
    expect((await ask(jsonValues + 1)).error?.message).toBe(`the body is too complex: at most ${jsonValues} values`);
  });

  test("can contain any number of brackets, commas and escaped quotes in its text", async () => {
    await using house = await openTestDaemon();
    await openTeam(house.store, house.project, ["alice"]);
    const content = `\\"${'[{",\\'.repeat(20_000)}`;
    expect((await house.ask("POST", "/messages", { body: { target: "@team", content } })).status).toBe(201);
  });
});

function splitFirst(): TransformStream<Uint8Array, Uint8Array> {
  let isFirst = true;
  return new TransformStream({
    transform(chunk, controller) {
      if (isFirst) controller.enqueue(chunk.subarray(0, 1));
      controller.enqueue(isFirst ? chunk.subarray(1) : chunk);
      isFirst = false;
    },
  });
}

/** Memory of a process in bytes: `VmRSS` now, `VmHWM` at its peak. */
function memoryOf(pid: number, field: "VmRSS" | "VmHWM"): number {
  const kib = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kib) * 1_024;
}
