import { expect, test } from "bun:test";
import { openTestDaemon } from "../../../test/fixtures/open-daemon.ts";

test("of several mistakes the body's is reported first, then the target's, then the query's", async () => {
  await using house = await openTestDaemon();
  await house.start({ name: "review", agents: { alice: { backend: "mock" } } });
  const refusal = async (method: "GET" | "POST", route: string, body?: object) => {
    const response = await house.fetch(method, route, { body });
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

test("a query says what a target means from where there is no body, else the body does", async () => {
  await using house = await openTestDaemon();
  await house.start({ name: "review", agents: { alice: { backend: "mock" } } });
  const status = async (method: "GET" | "POST", route: string, body?: object) =>
    (await house.fetch(method, route, { body })).status;
  expect(await status("GET", "/workflows/@review?project=/elsewhere")).toBe(404);
  expect(await status("POST", "/workflows/@review/start?project=/elsewhere", {})).toBe(200);
  expect(await status("POST", "/workflows/@review/start", { project: "/elsewhere" })).toBe(404);
});
