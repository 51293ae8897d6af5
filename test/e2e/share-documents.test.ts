/** The workflows about documents in the guide and the examples run unchanged. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../fixtures/command.ts";
import { openProgram } from "../fixtures/program.ts";

test("the guide's workflow runs, and its commands work", async () => {
  const guide = readFileSync(join(checkout, "docs/how-to/share-documents.md"), "utf8");
  const instance = /```yaml\n([^]*?)```/.exec(guide)?.[1] ?? "";
  await using program = await openProgram();
  program.write("research.yaml", instance);
  expect(await program.give(["run", "research.yaml"])).toMatchObject({
    exitCode: 0,
    stdout: "@user I read the findings and agree.\n",
  });
  const commands = [...guide.matchAll(/^agent-worker (doc [^#\n]*?)(?: +#.*)?$/gm)].map(([, line = ""]) => line);
  expect(commands.length).toBeGreaterThan(3);
  for (const line of commands) {
    const args = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "");
    expect([line, (await program.give(args)).exitCode]).toEqual([line, 0]);
  }
  expect((await program.give(["doc", "read", "@research", "goals.md"])).stdout).toBe("- publish\nKeep it short.\n");
});

test("examples/report.yaml writes its report", async () => {
  await using program = await openProgram();
  const { exitCode, stdout } = await program.give(["run", join(checkout, "examples/report.yaml")]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "@user the report is in report.md.\n" });
  expect((await program.give(["doc", "read", "@report"])).stdout).toBe(
    "# Report\n\n## Findings\nThe river is 1,233 km long.\n",
  );
});
