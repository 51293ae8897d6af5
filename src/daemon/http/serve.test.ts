import { expect, test } from "bun:test";
import { openTestDaemon } from "../../../test/fixtures/open-daemon.ts";

test("an invalid body is reported first, then an unknown target, then an invalid query", async () => {
  await using daemon = await openTestDaemon();
  await daemon.start({ name: "review", agents: { alice: { backend: "mock" } } });
  const refusal = async (method: "GET" | "POST", route: string, body?: object) => {
    const response = await daemon.fetch(method, route, { body });
    return [response.status, await response.text()];
  };
  const nowhere = expect.stringContaining("nowhere");
  expect(await refusal("POST", "/inbox/@nowhere/redrive", { messages: 1 })).toEqual([
    400,
    expect.stringContaining("the body is not valid at messages"),
  ]);
  expect(await refusal("POST", "/inbox/@nowhere/redrive", {})).toEqual([404, nowhere]);
  expect(await refusal("GET", "/workflows/@nowhere/messages?limit=many")).toEqual([404, nowhere]);
  expect(await refusal("GET", "/workflows/@review/messages?limit=many")).toEqual([
    400,
    expect.stringContaining("the query is not valid at limit"),
  ]);
});

test("a target is resolved from the origin in the body, or in the query when the route takes no body", async () => {
  await using daemon = await openTestDaemon();
  await daemon.start({ name: "review", agents: { alice: { backend: "mock" } } });
  const status = async (method: "GET" | "POST", route: string, body?: object) =>
    (await daemon.fetch(method, route, { body })).status;
  expect(await status("GET", "/workflows/@review?project=/elsewhere")).toBe(404);
  expect(await status("POST", "/workflows/@review/start?project=/elsewhere", {})).toBe(200);
  expect(await status("POST", "/workflows/@review/start", { project: "/elsewhere" })).toBe(404);
});
