import { afterEach, beforeEach, expect, test } from "bun:test";
import { type ContextServer, startContextServer } from "../../../test/fixtures/context-server.ts";
import { openDaemonTools } from "../daemon-tools.ts";
import { checkDaemonTools } from "./check-daemon-tools.ts";

const facts = { name: "the program" };
const { signal } = new AbortController();
let server: ContextServer;
beforeEach(() => void (server = startContextServer()));
afterEach(() => server.stop());

test("passes if the daemon accepts the turn's token", async () => {
  expect(await checkDaemonTools(facts, openDaemonTools(server.url, server.token), signal)).toBeUndefined();
});

test("fails if the token is refused, even if the tools were listed before the turn", async () => {
  const daemonTools = openDaemonTools(server.url, server.token);
  await daemonTools.listTools(signal);
  daemonTools.useToken("a turn that was taken away");
  const lost = await checkDaemonTools(facts, daemonTools, signal);
  expect(lost).toMatchObject({ kind: "transient", message: expect.stringContaining("HTTP 401") });
});

test("fails if the daemon is gone", async () => {
  const daemonTools = openDaemonTools(server.url, server.token);
  await daemonTools.listTools(signal);
  await server.stop();
  expect(await checkDaemonTools(facts, daemonTools, signal)).toMatchObject({ kind: "transient" });
});
