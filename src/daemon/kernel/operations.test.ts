import { expect, test } from "bun:test";
import { openTestDaemon } from "../../../test/fixtures/open-daemon.ts";
import { createOperations } from "./operations.ts";

test("the APIs get only functions, and no part of the kernel", async () => {
  await using daemon = await openTestDaemon();
  const parts: unknown[] = Object.values(daemon.kernel);
  for (const [name, operation] of Object.entries(createOperations(daemon.kernel))) {
    expect({ name, is: typeof operation }).toEqual({ name, is: "function" });
    expect(parts).not.toContain(operation);
  }
});
