import { expect, test } from "bun:test";
import { join } from "node:path";

test("connecting to the daemon loads no schemas: they would take longer than the command", async () => {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "connect.ts")],
    external: ["zod"],
    target: "bun",
    // Lazy imports become separate files.
    splitting: true,
  });
  const entry = await outputs.find(({ kind }) => kind === "entry-point")?.text();
  const loaded = new Bun.Transpiler().scanImports(entry ?? "").map(({ path }) => path);
  expect(loaded).toContain("fs");
  expect(loaded).not.toContain("zod");
});
