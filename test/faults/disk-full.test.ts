/** F9: a full disk is an error, never a false "sent"; reads work, and nothing has to be restarted when there is space again. */
import { expect, test } from "bun:test";
import { SendResponse } from "../../src/protocol/http/messages.ts";
import { startDaemon } from "../fixtures/daemon.ts";
import { createGate } from "../fixtures/gate.ts";
import { childrenOf, createPlace } from "../fixtures/place.ts";
import { isRunning } from "../fixtures/running.ts";
import { mountSmallDisk } from "../fixtures/small-disk.ts";
import { until } from "../fixtures/until.ts";
import { say } from "./figures.ts";
import { StoreFile } from "./store-file.ts";

const sizeKiB = 4 * 1024;
const attempts = 200;

test("a full disk loses nothing, and work resumes when there is space", async () => {
  await using place = await createPlace();
  using disk = mountSmallDisk(place.home, sizeKiB);
  if (!disk) {
    say("F9: SKIPPED, a tmpfs could not be mounted (this needs root)");
    return;
  }
  const daemon = await startDaemon(place);
  const gate = createGate(place.project);
  await daemon.start({
    name: "full",
    agents: {
      busy: { backend: "mock", tools: ["bash"], script: [[gate.wait, { say: "finished" }]] },
      other: { backend: "mock" },
    },
  });
  const question = await daemon.send({ target: "busy@full", content: "begin" });
  await daemon.until("tool-call", ({ agent }) => agent === "busy");
  await until(() => childrenOf(daemon.pid).some((pid) => childrenOf(pid).length > 0));
  const quiet = { target: "@full", content: "x".repeat(2_000) };
  const accepted = [question.message.id];
  accepted.push((await daemon.send(quiet)).message.id);

  disk.fill();
  const worker = childrenOf(daemon.pid).find((pid) => childrenOf(pid).length > 0) ?? 0;
  let refused = 0;
  for (let count = 0; count < attempts; count++) {
    const response = await daemon.fetch("POST", "/messages", { ...quiet, cwd: place.project });
    if (response.status === 201) {
      accepted.push(SendResponse.parse(await response.json()).message.id);
      continue;
    }
    expect(response.status).toBe(507);
    expect(await response.json()).toMatchObject({ error: { code: "store-full", hint: expect.any(String) } });
    refused++;
    // A turn that ends now cannot be stored before there is space.
    if (refused === 1) {
      await gate.open();
      await until(() => !isRunning(worker));
    }
    if (refused === 20) break;
  }
  expect(refused).toBe(20);
  expect((await daemon.messages("@full")).length).toBe(accepted.length);
  expect((await daemon.workflow("@full")).state).toBe("running");

  disk.free();
  const after = await daemon.send({ target: "other@full", content: "go on" });
  accepted.push(after.message.id);
  const [end] = await daemon.until("turn-end", ({ agent }) => agent === "busy");
  expect(end?.data).toMatchObject({ status: "succeeded", text: "finished", attempt: 1 });
  await daemon.until("delivery-done", ({ agent }) => agent === "other");
  expect(await daemon.shutDown()).toBe(0);

  using store = new StoreFile(place.home);
  const stored = store.messages();
  expect(store.integrity()).toEqual(["ok"]);
  expect(stored.filter(({ sender }) => sender === "user").map(({ id }) => id)).toEqual(accepted);
  expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1));
  expect(store.doneTwice()).toEqual([]);
  say(`F9: ${accepted.length} messages accepted and kept, ${refused} refused with 507, no restart`);
});
