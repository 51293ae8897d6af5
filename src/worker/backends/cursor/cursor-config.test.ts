import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/fixtures/folder.ts";
import { bun } from "../../../system/self.ts";
import { ConfigBusy, mergeCursorConfig } from "./cursor-config.ts";

const servers = [
  { name: "agent-worker", url: "http://127.0.0.1:1/mcp", token: "secret", tokenVariable: "AGENT_WORKER_TOKEN" },
];
/** Odd on purpose: spaces, no newline at the end, unknown keys. */
const own = '{ "mcpServers" : {"mine":{"url":"https://mine.test"}},\t"other": [1, 2] }';

let project: Awaited<ReturnType<typeof temporaryFolder>>;
let file: string;
beforeEach(async () => {
  project = await temporaryFolder();
  file = join(project.path, ".cursor/mcp.json");
});
afterEach(() => project[Symbol.asyncDispose]());

function write(text: string | Uint8Array, mode = 0o644): void {
  mkdirSync(join(project.path, ".cursor"), { recursive: true });
  writeFileSync(file, text, { mode });
}

const now = (): string => readFileSync(file, "utf8");

test("adds our servers to the user's, with the token's variable instead of the token", async () => {
  write(own);
  await using _ = await mergeCursorConfig(project.path, servers);
  expect(JSON.parse(now())).toEqual({
    mcpServers: {
      mine: { url: "https://mine.test" },
      "agent-worker": { url: "http://127.0.0.1:1/mcp", headers: { Authorization: "Bearer ${env:AGENT_WORKER_TOKEN}" } },
    },
    other: [1, 2],
  });
});

test("restores the file byte for byte and leaves nothing else", async () => {
  write(own, 0o600);
  await (await mergeCursorConfig(project.path, servers))[Symbol.asyncDispose]();
  expect(now()).toBe(own);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(project.path, ".cursor"))).toEqual(["mcp.json"]);
});

test("removes the file and the folder if they did not exist before", async () => {
  await (await mergeCursorConfig(project.path, servers))[Symbol.asyncDispose]();
  expect(readdirSync(project.path)).toEqual([]);
});

test("concurrent turns share the file, and the last one restores it", async () => {
  write(own);
  const first = await mergeCursorConfig(project.path, servers);
  const other = await inAnotherProcess();
  await first[Symbol.asyncDispose]();
  expect(now()).toContain("agent-worker");
  other.stdin.end();
  await other.exited;
  expect(now()).toBe(own);
});

test("the next turn cleans up after a crash", async () => {
  write(own);
  const crashed = await inAnotherProcess();
  crashed.kill("SIGKILL");
  await crashed.exited;
  expect(now()).toContain("agent-worker");
  await (await mergeCursorConfig(project.path, servers))[Symbol.asyncDispose]();
  expect(now()).toBe(own);
});

/** Leaves a lock as after a crash, that many milliseconds ago. */
function leaveLock(agoMs: number): void {
  const lock = join(project.path, ".cursor/.agent-worker.lock");
  mkdirSync(lock, { recursive: true });
  const at = (Date.now() - agoMs) / 1_000;
  utimesSync(lock, at, at);
}

test("a lock left by a crash does not stop the next turn", async () => {
  leaveLock(3_000);
  await (await mergeCursorConfig(project.path, servers, 1_000))[Symbol.asyncDispose]();
  expect(readdirSync(project.path)).toEqual([]);
});

test("waits for a lock, then fails as busy", async () => {
  leaveLock(-60_000);
  await expect(mergeCursorConfig(project.path, servers, 20)).rejects.toBeInstanceOf(ConfigBusy);
});

test("reports at once why a lock cannot be created", async () => {
  writeFileSync(join(project.path, ".cursor"), "a file where the folder should be");
  await expect(mergeCursorConfig(project.path, servers)).rejects.toThrow("EEXIST");
});

test("keeps the user's edits made during the turn, without our servers", async () => {
  write(own);
  const merged = await mergeCursorConfig(project.path, servers);
  const changed = JSON.parse(now());
  writeFileSync(file, JSON.stringify({ ...changed, mine: "new" }));
  await merged[Symbol.asyncDispose]();
  expect(JSON.parse(now())).toEqual({ mcpServers: { mine: { url: "https://mine.test" } }, other: [1, 2], mine: "new" });
});

test("names an invalid file and leaves it unchanged", async () => {
  write("{ not json");
  await expect(mergeCursorConfig(project.path, servers)).rejects.toThrow(
    "mcp.json is not a valid Cursor configuration",
  );
  expect(now()).toBe("{ not json");
  expect(readdirSync(join(project.path, ".cursor"))).toEqual(["mcp.json"]);
});

test("a symlink stays a symlink", async () => {
  const shared = join(project.path, "shared.json");
  writeFileSync(shared, own);
  mkdirSync(join(project.path, ".cursor"));
  symlinkSync(shared, file);
  await (await mergeCursorConfig(project.path, servers))[Symbol.asyncDispose]();
  expect(readFileSync(shared, "utf8")).toBe(own);
  expect(existsSync(file)).toBe(true);
});

/** Holds the file until its stdin ends. */
async function inAnotherProcess() {
  const code = `
    const { mergeCursorConfig } = await import(${JSON.stringify(join(import.meta.dir, "cursor-config.ts"))});
    const merged = await mergeCursorConfig(${JSON.stringify(project.path)}, ${JSON.stringify(servers)});
    process.stdout.write("merged");
    await Bun.stdin.text();
    await merged[Symbol.asyncDispose]();`;
  const child = Bun.spawn([...bun, "-e", code], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  for await (const chunk of child.stdout) if (chunk.length > 0) break;
  return child;
}
