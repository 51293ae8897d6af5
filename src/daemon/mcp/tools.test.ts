/** Holds the listed tools to the names that all tiers share. */
import { expect, test } from "bun:test";
import { isContextTool } from "../../protocol/tooling.ts";
import { contextToolNames } from "../../protocol/tools/names.ts";
import { tools } from "./tools.ts";

test("a turn is offered exactly the context tools", () => {
  expect(tools.map(({ name }) => name)).toEqual(contextToolNames);
});

test("a tool that only shares a prefix with a context tool is not a context tool", () => {
  expect(["status_set", "status_page", "document_store"].filter(isContextTool)).toEqual(["status_set"]);
});
