import { expect, test } from "bun:test";
import { temporaryFolder } from "../../test/fixtures/folder.ts";
import { directLoopback } from "./loopback.ts";
import { bun } from "./self.ts";

test("adds to the existing NO_PROXY if there is a proxy", () => {
  const direct = "intern.example,127.0.0.1,localhost,::1";
  const env = { HTTPS_PROXY: "http://proxy.example", NO_PROXY: "intern.example" };
  expect(directLoopback(env)).toEqual({ no_proxy: direct, NO_PROXY: direct });
});

test("changes nothing if there is no proxy", () => {
  expect(directLoopback({ PATH: "/bin", HTTP_PROXY: "", NO_PROXY: "x" })).toEqual({});
});

test.each(["http_proxy", "HTTP_PROXY", "all_proxy"])("fetch bypasses %s", async (name) => {
  await using folder = await temporaryFolder();
  const passed: string[] = [];
  using proxy = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => (passed.push(request.url), new Response("proxy")),
  });
  using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("direct") });
  const source = `
    import { directLoopback } from ${JSON.stringify(new URL("loopback.ts", import.meta.url).pathname)};
    Object.assign(process.env, directLoopback(process.env));
    console.log(await (await fetch("http://127.0.0.1:${server.port}/")).text());`;
  const child = Bun.spawn([...bun, "-e", source], {
    cwd: folder.path,
    env: { PATH: process.env.PATH, [name]: `http://127.0.0.1:${proxy.port}` },
    stdout: "pipe",
  });
  expect(await child.stdout.text()).toBe("direct\n");
  expect(passed).toEqual([]);
});
