import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/fixtures/folder.ts";
import { loadModules } from "./modules.ts";
import { ToolSetupError } from "../tool-setup-error.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
const before = { cwd: process.cwd(), env: { ...process.env } };
beforeEach(async () => {
  folder = await temporaryFolder();
  symlinkSync(join(import.meta.dir, "../../../../node_modules"), join(folder.path, "node_modules"));
});
afterEach(async () => {
  process.chdir(before.cwd);
  process.env = { ...before.env };
  await folder[Symbol.asyncDispose]();
});

const { signal } = new AbortController();
let written = 0;

/** A new name each time, because a module is loaded only once. */
function write(text: string, name = `tools-${++written}.ts`): string {
  const file = join(folder.path, name);
  writeFileSync(file, text);
  return file;
}
const load = (...texts: string[]) =>
  loadModules(
    texts.map((text) => write(text)),
    { cwd: folder.path, env: { GREETING: "hi" } },
  );

async function call(text: string, name: string, args: unknown = {}) {
  const tool = (await load(text)).find((each) => each.name === name);
  if (!tool) throw new Error(`there is no ${name}`);
  return tool.run(args, { signal });
}

describe("a tool", () => {
  test("with a zod schema is described and validates its arguments", async () => {
    const source = `import { z } from "zod";
      export const weather = {
        description: "The weather",
        inputSchema: z.object({ city: z.string(), days: z.number().default(1) }),
        execute: async ({ city, days }: { city: string; days: number }) => ({ city, days }),
      };
      export const helper = (x: number) => x + 1;
      export const limit = 3;`;
    const [tool] = await load(source);
    expect(tool).toMatchObject({
      name: "weather",
      description: "The weather",
      inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    });
    expect(await tool?.run({ city: "Oslo" }, { signal })).toEqual({ ok: true, text: '{"city":"Oslo","days":1}' });
    expect(await tool?.run({ city: 1 }, { signal })).toMatchObject({
      ok: false,
      text: expect.stringMatching(/^weather: city: .*expected string/),
    });
  });

  test.each([
    ["JSON Schema", `{ type: "object", properties: { a: { type: "number" } }, required: ["a"] }`],
    [
      "the AI SDK's jsonSchema()",
      `{ jsonSchema: { type: "object", properties: { a: { type: "number" } }, required: ["a"] } }`,
    ],
  ])("also works with %s", async (_, schema) => {
    const source = `export const double = { description: "", inputSchema: ${schema}, execute: ({ a }: any) => a * 2 };`;
    expect(await call(source, "double", { a: 4 })).toEqual({ ok: true, text: "8" });
    expect(await call(source, "double", { a: "4" })).toMatchObject({ ok: false });
  });

  test("can be a default export, named after its file, or one of a map", async () => {
    const single = write(`export default { description: "", execute: () => "one" };`, "single.ts");
    const map = write(`export default { a: { execute: () => 1 }, b: { execute: () => 2 } };`, "map.ts");
    const tools = await loadModules([single, map], { cwd: folder.path, env: {} });
    expect(tools.map(({ name }) => name)).toEqual(["single", "a", "b"]);
  });

  test.each([
    ["a string", `() => "plain"`, "plain"],
    ["no value", `() => {}`, "done"],
    ["several values, the last one", `async function* () { yield "half"; yield "whole"; }`, "whole"],
    ["a circular object", `() => { const a: any = {}; a.a = a; return a; }`, "[object Object]"],
    ["its folder and environment", `() => [process.cwd() === import.meta.dir, process.env.GREETING]`, '[true,"hi"]'],
    [
      "the options of its call",
      `(_: any, o: any) => Object.keys(o).sort().join()`,
      "abortSignal,cwd,env,messages,toolCallId",
    ],
  ])("returns %s", async (_, execute, text) => {
    expect(await call(`export const it = { execute: ${execute} };`, "it")).toEqual({ ok: true, text });
  });

  test("that throws returns an error, and long text is cut in the middle", async () => {
    expect(await call(`export const it = { execute: () => { throw new Error("no luck"); } };`, "it")).toEqual({
      ok: false,
      text: "it: no luck",
    });
    const { text } = await call(`export const it = { execute: () => "x".repeat(1e6) };`, "it");
    expect(text.length).toBeLessThan(100_000);
    expect(text).toContain("bytes left out");
  });

  test("that never ends is abandoned when the turn is stopped", async () => {
    const [tool] = await load(`export const it = { execute: () => new Promise(() => {}) };`);
    const stopping = new AbortController();
    const result = tool?.run({}, { signal: stopping.signal });
    stopping.abort();
    await expect(result).rejects.toThrow();
  });
});

describe("a module that cannot be used ends the turn, with its file and a fix, if it", () => {
  test.each([
    ["throws on import", `throw new Error("missing key");`, /cannot be loaded: missing key; run `bun/],
    ["has a syntax error", `export const = 1;`, /cannot be loaded/],
    ["imports a missing package", `import "no-such-package";`, /no-such-package/],
    ["exports nothing", `export {};`, /exports no tool: export const name = \{/],
    ["exports no tool", `export const a = 1; export function b() {}`, /exports no tool/],
    ["has a tool without execute", `export const a = { description: "", inputSchema: {} };`, /a without execute/],
    [
      "has two tools with the same name",
      `export const a = { execute: () => 1 }; export default { a: { execute: () => 2 } };`,
      /two tools named a/,
    ],
    ["has a bad name", `export default { "a b": { execute: () => 1 } };`, /'a b'.*letters/],
    [
      "uses the name of one of the daemon's tools",
      `export const channel_send = { execute: () => 1 };`,
      /channel_send.*rename/,
    ],
    [
      "has an invalid schema",
      `export const a = { inputSchema: 3, execute: () => 1 };`,
      /a that cannot be offered.*not a schema/,
    ],
    [
      "has a schema that is not for an object",
      `export const a = { inputSchema: { type: "string" }, execute: () => 1 };`,
      /must describe an object/,
    ],
    ["defines parameters", `export const a = { parameters: {}, execute: () => 1 };`, /rename it to inputSchema/],
  ])("%s", async (_, source, message) => {
    const failure = await load(source).catch((error: unknown) => error);
    if (!(failure instanceof ToolSetupError)) throw new Error("nothing was wrong");
    expect(failure.kind).toBe("permanent");
    expect(failure.message).toMatch(message);
    expect(failure.message).toMatch(/tools-\d+\.ts/);
  });

  test("is missing", async () => {
    const missing = loadModules([join(folder.path, "none.ts")], { cwd: folder.path, env: {} });
    await expect(missing).rejects.toMatchObject({
      kind: "permanent",
      message: expect.stringContaining("does not exist"),
    });
  });
});
