/** Contract: what people give agents besides their definitions. */
import { describe, expect } from "bun:test";
import { type Behaviour, codeOf } from "./bench.ts";
import { openRequest } from "./team.ts";

const nothing = { add: [], mocks: {}, remove: [] };

export function tooling(it: Behaviour): void {
  describe("tooling", () => {
    it("is empty at first, then contains what was added and mocked and not removed", async ({ store, team }) => {
      const { id } = await team();
      expect(await store.tooling(id, "alice")).toEqual({ added: [], mocks: {} });
      const change = { ...nothing, add: ["bash", "bash"], mocks: { search: { hits: [] }, nil: null } };
      const expected = { added: ["bash"], mocks: { search: { hits: [] }, nil: null } };
      expect(await store.changeTooling(id, "ALICE", change)).toEqual(expected);
      expect(await store.tooling(id, "alice")).toEqual(expected);
      expect(await store.changeTooling(id, "alice", { ...nothing, add: ["/x.ts"], remove: ["bash", "nil"] })).toEqual({
        added: ["/x.ts"],
        mocks: { search: { hits: [] } },
      });
      expect(await store.tooling(id, "bob")).toEqual({ added: [], mocks: {} });
    });

    it("ends when a run is opened with a definition", async ({ store, team }) => {
      const review = await team();
      await store.changeTooling(review.id, "alice", { ...nothing, add: ["bash"] });
      await store.endRun(review.id, { status: "stopped", exitCode: 130, reason: null });
      await store.openRun(openRequest());
      expect(await store.tooling(review.id, "alice")).toEqual({ added: [], mocks: {} });
    });

    it("is rejected for an unknown agent", async ({ store, team }) => {
      const { id } = await team(["alice"]);
      expect(await codeOf(store.tooling(id, "bob"))).toBe("not-found");
      expect(await codeOf(store.changeTooling(id, "bob", nothing))).toBe("not-found");
    });
  });
}
