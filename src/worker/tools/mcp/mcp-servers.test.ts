import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createMcpHandler, McpServer as Server } from "@modelcontextprotocol/server";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { temporaryFolder } from "../../../../test/fixtures/folder.ts";
import { isRunning } from "../../../../test/fixtures/running.ts";
import { until } from "../../../../test/fixtures/until.ts";
import { McpServer } from "../../../protocol/definition/agent-definition.ts";
import { bun } from "../../../system/self.ts";
import { toolEnvironment } from "../../tool-environment.ts";
import { type ConnectedServer, connectServer, offeredName } from "./mcp-servers.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => void (folder = await temporaryFolder()));
afterEach(() => folder[Symbol.asyncDispose]());

const program = join(import.meta.dir, "../../../../test/fixtures/mcp-program.ts");
const { signal } = new AbortController();
const pidFile = () => join(folder.path, "pid");
const isAlive = (file: string) => existsSync(file) && isRunning(Number(readFileSync(file, "utf8")));

function connect(server: z.input<typeof McpServer>, variables: Record<string, string> = {}, stop = signal) {
  const caller = { PATH: process.env.PATH ?? "", ...variables };
  const place = { cwd: folder.path, env: toolEnvironment(caller, {}), variables };
  return connectServer("fix", McpServer.parse(server), place, stop);
}

const [command, ...flags] = bun;
const script = (manners = "good", more: object = {}) => ({
  command,
  args: [...flags, program, manners],
  env: { PID_FILE: pidFile() },
  ...more,
});

function call({ tools }: ConnectedServer, name: string, args: object = {}) {
  const tool = tools.find((each) => each.name === name);
  if (!tool) throw new Error(`there is no ${name}`);
  return tool.run(args, { signal });
}

describe("a program", () => {
  test.each(["good", "noisy", "stubborn"])("offers its tools, and leaves nothing running: %s", async (manners) => {
    const server = await connect(script(manners));
    expect(server.tools.find(({ name }) => name === "fix_add")).toMatchObject({
      description: "Adds",
      inputSchema: { type: "object", required: ["a", "b"] },
    });
    expect(await call(server, "fix_add", { a: 1, b: 2 })).toMatchObject({ ok: true, text: "3" });
    expect(await call(server, "fix_add", { a: "x" })).toMatchObject({ ok: false });
    expect(await call(server, "fix_refuse")).toMatchObject({ ok: false, text: "not today" });
    expect((await call(server, "fix_picture")).text).toBe("[image of type image/png]");
    expect((await call(server, "fix_cwd")).text).toBe(folder.path);
    const stray = join(folder.path, "stray");
    await call(server, "fix_stray", { file: stray });
    await until(() => isAlive(stray));
    await server.close();
    expect([isAlive(pidFile()), isAlive(stray)]).toEqual([false, false]);
  });

  test("sees its own variables, and no other keys", async () => {
    const env = { PID_FILE: pidFile(), TOKEN: "Bearer $MY_TOKEN", PRICE: "$$5" };
    const server = await connect(script("good", { env }), { MY_TOKEN: "abc", OPENAI_API_KEY: "sk-secret" });
    const { text } = await call(server, "fix_env");
    await server.close();
    expect(JSON.parse(text)).toMatchObject({ TOKEN: "Bearer abc", PRICE: "$5" });
    expect(text).not.toContain("sk-secret");
  });

  test("that dies makes its tools fail, with the end of its stderr", async () => {
    const server = await connect(script());
    expect(await call(server, "fix_die")).toMatchObject({ ok: false, text: expect.stringContaining("out of memory") });
    expect(await call(server, "fix_add", { a: 1, b: 2 })).toMatchObject({
      ok: false,
      text: expect.stringContaining("exited with code 9"),
    });
    await server.close();
  });
});

describe("a server that is not available is reported with a fix", () => {
  test.each<[string, () => z.input<typeof McpServer>, string, RegExp]>([
    ["a missing program", () => ({ command: "no-such-server" }), "permanent", /no program no-such-server; install it/],
    ["a missing file", () => ({ command: "/nowhere/server" }), "permanent", /no program \/nowhere\/server/],
    ["a missing folder", () => ({ command: "sh", cwd: "/nowhere" }), "permanent", /\/nowhere, which does not exist/],
    ["a crash", () => script("crash"), "transient", /exited with code 3: no database at localhost; try/],
    ["a program that is not a server", () => ({ command: "true" }), "transient", /exited with code 0/],
    ["a silent server", () => script("silent", { timeout: "500ms" }), "transient", /within 0\.5 s.*raise its timeout/],
    [
      "endless output",
      () => ({ command: "cat", args: ["/dev/zero"], timeout: "10s" }),
      "transient",
      /line of more than/,
    ],
    [
      "a variable that is not set",
      () => ({ command: "sh", env: { KEY: "$NOT_SET" } }),
      "credentials",
      /needs \$NOT_SET/,
    ],
    ["a refused connection", () => ({ url: "http://127.0.0.1:1/mcp" }), "transient", /cannot be used/],
  ])("%s", async (_, server, kind, message) => {
    await expect(connect(server())).rejects.toMatchObject({ kind, message: expect.stringMatching(message) });
    expect(isAlive(pidFile())).toBe(false);
  });

  test("stopping the turn stops waiting at once", async () => {
    const stopping = new AbortController();
    const connecting = connect(script("silent"), {}, stopping.signal);
    await until(() => isAlive(pidFile()));
    stopping.abort();
    await expect(connecting).rejects.toThrow();
    expect(isAlive(pidFile())).toBe(false);
  });
});

describe("a server URL", () => {
  let answer: (request: Request) => Response | Promise<Response>;
  const handler = createMcpHandler(() => {
    const server = new Server({ name: "http", version: "1" });
    server.registerTool("hello", { inputSchema: z.object({}) }, () => ({ content: [{ type: "text", text: "hi" }] }));
    return server;
  });
  const listening = () => Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => answer(request) });

  test("is called with its headers", async () => {
    const seen = new Set<string | null>();
    answer = (request) => {
      seen.add(request.headers.get("authorization"));
      return handler.fetch(request);
    };
    await using http = listening();
    const headers = { Authorization: "Bearer ${MY_TOKEN}" };
    const server = await connect({ url: `http://127.0.0.1:${http.port}/mcp`, headers }, { MY_TOKEN: "abc" });
    expect(await call(server, "fix_hello")).toMatchObject({ ok: true, text: "hi" });
    await server.close();
    expect([...seen]).toEqual(["Bearer abc"]);
  });

  test.each([
    [401, "permanent", "check the headers"],
    [404, "permanent", "check its url"],
    [500, "transient", "cannot be used"],
  ])("that answers %d is a %s failure", async (status, kind, message) => {
    answer = () => new Response("no", { status });
    await using http = listening();
    const connecting = connect({ url: `http://127.0.0.1:${http.port}/mcp` });
    await expect(connecting).rejects.toMatchObject({ kind, message: expect.stringContaining(message) });
  });

  test("that never answers times out", async () => {
    answer = () => new Promise(() => {});
    const http = listening();
    const connecting = connect({ url: `http://127.0.0.1:${http.port}/mcp`, timeout: "300ms" });
    await expect(connecting).rejects.toMatchObject({ kind: "transient", message: expect.stringContaining("0.3 s") });
    await http.stop(true);
  });
});

test("names are valid for every model", () => {
  expect(offeredName("git", "search.code")).toBe("git_search_code");
  const [a, b] = [offeredName("git", "x".repeat(80)), offeredName("git", `${"x".repeat(80)}y`)];
  expect([a.length, b.length, a === b]).toEqual([64, 64, false]);
});

test.each(["stdout", "stderr"])(
  "a server that prints endless garbage on %s is ended in time, without blocking other work",
  async (stream) => {
    let beats = 0;
    const heart = setInterval(() => beats++, 20);
    const begun = performance.now();
    const spewing = connect({
      command: "sh",
      args: ["-c", stream === "stdout" ? "yes garbage" : "yes garbage >&2"],
      timeout: "1s",
    });
    const words =
      stream === "stdout"
        ? /MCP server fix .* that are not MCP messages, such as "garbage/
        : /MCP server fix did not answer/;
    await expect(spewing).rejects.toThrow(words);
    clearInterval(heart);
    expect(performance.now() - begun).toBeLessThan(5_000);
    if (stream === "stderr") expect(beats).toBeGreaterThan(5);
  },
);
