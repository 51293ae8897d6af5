/** The tools that are listed, and the names by which all tiers know them. */
import { expect, test } from "bun:test";
import { isContextTool } from "../../protocol/tooling.ts";
import { contextToolNames } from "../../protocol/tools/names.ts";
import { tools } from "./tools.ts";

test("a turn is offered exactly the tools that are known as the team's own", () => {
  expect(tools.map(({ name }) => name)).toEqual(contextToolNames);
});

test("a tool whose name only begins like one of the team's is somebody's own", () => {
  expect(["status_set", "status_page", "document_store"].filter(isContextTool)).toEqual(["status_set"]);
});
