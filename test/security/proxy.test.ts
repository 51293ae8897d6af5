/** Requests to the daemon do not use a proxy from the environment, so that no proxy sees its tokens. */
import { expect, test } from "bun:test";
import { openProgram } from "../fixtures/program.ts";

test.each(["http_proxy", "HTTP_PROXY"])("commands and workers ignore %s", async (name) => {
  const passed: string[] = [];
  using proxy = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      passed.push(`${request.method} ${request.url}`);
      return new Response("a proxy", { status: 502 });
    },
  });
  await using program = await openProgram();
  program.write(
    "hello.yaml",
    'agents:\n  alice: { backend: mock, script: [[{ say: "@user hello" }]] }\nkickoff: "@alice hi"\n',
  );
  const env = { [name]: `http://127.0.0.1:${proxy.port}` };
  expect(await program.give(["run", "hello.yaml"], { env })).toMatchObject({ exitCode: 0, stdout: "@user hello\n" });
  expect(await program.give(["ls"], { env })).toMatchObject({ exitCode: 0 });
  expect(passed).toEqual([]);
});
