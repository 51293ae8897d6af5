import { expect, test } from "bun:test";
import { join } from "node:path";

test("what a command needs to reach the daemon loads no schemas: they take longer than the command", async () => {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "connect.ts")],
    external: ["zod"],
    target: "bun",
    // What is imported only when it is needed becomes a file of its own.
    splitting: true,
  });
  const entry = await outputs.find(({ kind }) => kind === "entry-point")?.text();
  const loaded = new Bun.Transpiler().scanImports(entry ?? "").map(({ path }) => path);
  expect(loaded).toContain("fs");
  expect(loaded).not.toContain("zod");
});
