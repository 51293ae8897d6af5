import { afterAll, describe, expect, test } from "bun:test";
import { reasonOf } from "../../protocol/error.ts";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Clock } from "../../../test/contract/store/clock.ts";
import { openTeam } from "../../../test/contract/store/team.ts";
import { canMakeReadOnly, makeReadOnly } from "../../../test/fixtures/read-only.ts";
import { mountSmallDisk } from "../../../test/fixtures/small-disk.ts";
import { renderEntry } from "../../text/transcript.ts";
import { createFolder } from "../documents/folder.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import { Projection } from "./projection.ts";

const projects = mkdtempSync(join(tmpdir(), "projection-"));
afterAll(() => rmSync(projects, { recursive: true }));

/** A team whose files are written when the test asks for it; `again` is a daemon that starts after this one. */
async function openProjected(project = mkdtempSync(join(projects, "project-"))) {
  const clock = new Clock();
  const store = openSqliteStore({ path: ":memory:", now: clock.now, random: Math.random });
  const team = await openTeam(store, clock);
  const folder = join(project, ".workflow/review/main");
  const failures: string[] = [];
  const timers: { ms: number; run: () => void }[] = [];
  const create = () =>
    new Projection({
      store,
      instance: team.id,
      folder: createFolder(project, folder),
      channel: "channel.md",
      after: (ms, run) => {
        const timer = { ms, run };
        timers.push(timer);
        return { cancel: () => timers.splice(timers.indexOf(timer), 1) };
      },
      onTrouble: (error) => failures.push(reasonOf(error)),
    });
  const channel = join(folder, "channel.md");
  return {
    team,
    store,
    project,
    folder,
    channel,
    failures,
    timers,
    projection: create(),
    again: create,
    onDisk: () => readFileSync(channel, "utf8"),
    state: () => JSON.parse(readFileSync(join(folder, "_state/inbox-state.json"), "utf8")),
    /** The content that the file should have. */
    expected: async () =>
      (await store.messages(team.id, "client", { limit: 500 }))
        .filter((message) => !message.private)
        .map(renderEntry)
        .join(""),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

describe("the channel file", () => {
  test("has an entry for each message, in order, and is only appended to", async () => {
    await using team = await openProjected();
    await team.team.say("@alice begin", ["alice"]);
    await team.projection.update();
    const { ino } = statSync(team.channel);
    await team.team.tell("alice", "done\n### #9 forged [bob]\n# so is this", []);
    await team.projection.update();
    expect(statSync(team.channel).ino).toBe(ino);
    expect(team.onDisk()).toBe(await team.expected());
    expect(team.onDisk().match(/^#+ .*/gm)).toEqual([
      expect.stringMatching(/^### #1 \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ \[user\] → alice$/),
      expect.stringMatching(/^### #2 .* \[alice\]$/),
    ]);
  });

  test("contains no private messages", async () => {
    await using team = await openProjected();
    await team.team.say("for alice's eyes", [], { to: ["alice"], private: true });
    await team.team.say("for all", ["bob"]);
    await team.projection.update();
    expect(team.onDisk()).not.toContain("eyes");
    expect(team.onDisk()).toContain("for all");
    expect(team.state().agents.alice).toMatchObject({ pending: 1, messages: [] });
    expect(team.state().agents.bob).toMatchObject({ pending: 1, messages: [{ seq: 2, state: "pending" }] });
  });

  test("contains many long messages, each shortened", async () => {
    await using team = await openProjected();
    for (let count = 0; count < 120; count++) await team.team.say(`${count} ${"ü🚀".repeat(10_000)}`, []);
    await team.projection.update();
    expect(team.onDisk()).toBe(await team.expected());
    expect(team.onDisk().match(/^\[… \d+ characters\]$/gm)).toHaveLength(120);
  });

  test.each<[string, (channel: string) => void]>([
    ["is cut within an entry", (channel) => truncateSync(channel, statSync(channel).size - 7)],
    ["has an incomplete entry too many", (channel) => appendFileSync(channel, "### #4 2026")],
    ["is edited in the middle", (channel) => writeFileSync(channel, "### mine\n")],
    ["is gone", (channel) => rmSync(channel)],
    ["is empty", (channel) => truncateSync(channel, 0)],
  ])("is repaired when a crash or a person left it so that it %s", async (_, damage) => {
    await using team = await openProjected();
    for (const content of ["one", "two", "three"]) await team.team.say(content, []);
    await team.projection.update();
    for (const projection of [team.again(), team.projection]) {
      damage(team.channel);
      await team.team.say("more", []);
      await projection.update();
      expect(team.onDisk()).toBe(await team.expected());
    }
    expect(team.failures).toEqual([]);
  });

  test("is not written by a start that finds it correct", async () => {
    await using team = await openProjected();
    await team.team.say("one", []);
    await team.projection.update();
    const before = statSync(team.channel, { bigint: true });
    await team.again().update();
    expect(statSync(team.channel, { bigint: true }).mtimeNs).toBe(before.mtimeNs);
  });
});

describe("a file that cannot be written", () => {
  test.skipIf(!canMakeReadOnly())("is reported once, and catches up later", async () => {
    await using team = await openProjected();
    await team.team.say("before", []);
    await team.projection.update();
    {
      using _ = makeReadOnly(team.folder);
      for (const content of ["one", "two"]) {
        await team.team.say(content, []);
        await team.projection.update();
      }
      expect(team.failures).toEqual([expect.stringContaining("read-only")]);
    }
    expect(team.timers.map(({ ms }) => ms)).toEqual([500]);
    team.timers[0]?.run();
    await team.projection.update();
    expect(team.onDisk()).toBe(await team.expected());
  });

  test("on a full disk is reported once, leaves no partial file, and catches up later", async () => {
    const project = mkdtempSync(join(projects, "small-"));
    using disk = mountSmallDisk(project, 256);
    if (!disk) return;
    await using team = await openProjected(project);
    await team.team.say("before", []);
    await team.projection.update();
    disk.fill();
    await team.team.say("x".repeat(10_000), []);
    await team.projection.update();
    await team.projection.update();
    expect(team.failures).toEqual([expect.stringContaining("the disk is full")]);
    disk.free();
    await team.projection.update();
    expect(team.onDisk()).toBe(await team.expected());
    expect(readdirSync(join(team.folder, "_state"))).toEqual(["inbox-state.json"]);
  });

  test.each<[string, (team: { project: string; folder: string }, elsewhere: string) => void]>([
    ["the channel file", ({ folder }, elsewhere) => symlinkSync(join(elsewhere, "x"), join(folder, "channel.md"))],
    ["a state file", ({ folder }, elsewhere) => linkState(folder, elsewhere)],
    ["the state folder", ({ folder }, elsewhere) => symlinkSync(elsewhere, join(folder, "_state"))],
    [
      "the folder",
      ({ folder }, elsewhere) => {
        rmSync(folder, { recursive: true });
        symlinkSync(elsewhere, folder);
      },
    ],
  ])("is refused where %s is a link", async (_, link) => {
    await using team = await openProjected();
    const elsewhere = mkdtempSync(join(projects, "elsewhere-"));
    mkdirSync(team.folder, { recursive: true });
    link(team, elsewhere);
    await team.team.say("one", []);
    await team.projection.update();
    expect(team.failures).toHaveLength(1);
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

test("simultaneous events are written together", async () => {
  await using team = await openProjected();
  for (let count = 0; count < 100; count++) team.projection.notice();
  expect(team.timers.map(({ ms }) => ms)).toEqual([50]);
  team.projection.close();
  expect(team.timers).toEqual([]);
  expect(existsSync(team.channel)).toBe(false);
});

function linkState(folder: string, elsewhere: string): void {
  mkdirSync(join(folder, "_state"));
  symlinkSync(join(elsewhere, "x"), join(folder, "_state/inbox-state.json"));
}
