import { expect, test } from "bun:test";
import { failOnce } from "../../../test/faults/failing-store.ts";
import { openRequest } from "../../../test/contract/store/team.ts";
import { createRoutedStore } from "./routed-store.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";

const open = () => openSqliteStore({ path: ":memory:", now: Date.now, random: Math.random });

function elsewhere() {
  const request = openRequest();
  return { ...request, definition: { ...request.definition, context: { provider: "memory" as const } } };
}

test("a run whose end could not be registered is registered when it is ended again", async () => {
  const home = open();
  const store = createRoutedStore(failOnce(home, "endRun", "SQLITE_FULL"), open);
  const { instance } = await store.openRun(elsewhere());
  await store.kickoff(instance.id, null);
  await expect(store.closeRun(instance.id)).rejects.toMatchObject({ code: "store-full" });
  expect((await home.instance(instance.id))?.state).toBe("running");
  expect(await store.closeRun(instance.id)).toBeNull();
  expect((await home.instance(instance.id))?.state).toBe("ended");
  await store.close();
});

test("a run that was registered, but could not be opened in its own database, can be opened again", async () => {
  const home = open();
  const store = createRoutedStore(home, () => failOnce(open(), "openRun", "SQLITE_FULL"));
  await expect(store.openRun(elsewhere())).rejects.toMatchObject({ code: "store-full" });
  const { instance } = await store.openRun(elsewhere());
  expect(await store.instance(instance.id)).toMatchObject({ state: "running" });
  await store.close();
});
