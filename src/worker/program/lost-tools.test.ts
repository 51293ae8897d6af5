import { afterEach, beforeEach, expect, test } from "bun:test";
import { type ContextServer, startContextServer } from "../../../test/fixtures/context-server.ts";
import { openContext } from "../context.ts";
import { lostTools } from "./lost-tools.ts";

const facts = { name: "the program" };
const { signal } = new AbortController();
let server: ContextServer;
beforeEach(() => void (server = startContextServer()));
afterEach(() => server.stop());

test("a daemon that takes the turn's token has its tools", async () => {
  expect(await lostTools(facts, openContext(server.url, server.token), signal)).toBeUndefined();
});

test("a token that is refused is noticed, though the tools were listed before the turn", async () => {
  const context = openContext(server.url, server.token);
  await context.listTools(signal);
  context.useToken("a turn that was taken away");
  const lost = await lostTools(facts, context, signal);
  expect(lost).toMatchObject({ kind: "transient", message: expect.stringContaining("HTTP 401") });
});

test("and so is a daemon that is gone", async () => {
  const context = openContext(server.url, server.token);
  await context.listTools(signal);
  await server.stop();
  expect(await lostTools(facts, context, signal)).toMatchObject({ kind: "transient" });
});
