import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/fixtures/folder.ts";
import { cannotStart } from "./failure.ts";

test.each([
  ["no execute permission", 0o644, "#!/bin/sh\n", /chmod \+x/],
  ["no interpreter line", 0o755, "\u0000\u0001 no program", /#!\/bin\/sh/],
])("reports how to fix a program with %s", async (_, mode, text, fix) => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "program");
  writeFileSync(path, text, { mode });
  const error = await Promise.try(() => Bun.spawn([path])).catch((cause: unknown) => cause);
  expect(cannotStart(path, error)).toMatchObject({ kind: "permanent", message: expect.stringMatching(fix) });
});
