/**
 * F1 for documents: the daemon is killed while documents are written, in a loop. Every acknowledged version
 * exists, no unfinished write is taken for a person's edit, and each file has its complete latest version.
 * FAULT_CYCLES=500 runs the full version; FAULT_SEED sets another seed.
 */
import { expect, test } from "bun:test";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DocumentVersion } from "../../src/protocol/document.ts";
import { DocumentHistory, DocumentList, WriteDocumentResponse } from "../../src/protocol/http/documents.ts";
import { startDaemon, type TestDaemon } from "../fixtures/daemon.ts";
import { createPlace } from "../fixtures/place.ts";
import { Random } from "../simulation/random.ts";
import { say } from "./figures.ts";

const cycles = Number(process.env.FAULT_CYCLES ?? 8);
const files = ["notes.md", "plans/todos.md"];
const route = "/workflows/@team/documents";
/** A daemon is killed after acknowledging at most this many versions. */
const maxVersions = 8;
const random = new Random(Number(process.env.FAULT_SEED ?? 1));

type Ledger = { sent: Set<string>; acknowledged: { file: string; version: number; content: string }[] };

/** Writes one version after another until the daemon dies. The contents are long, so that a write takes some time. */
async function write(daemon: TestDaemon, file: string, ledger: Ledger, onAcknowledged: () => void): Promise<void> {
  for (;;) {
    const content = `${file} ${ledger.sent.size}\n${"x".repeat(20_000)}\nend`;
    ledger.sent.add(content);
    try {
      const { version } = await daemon.call("PUT", `${route}/${file}`, WriteDocumentResponse, { content });
      ledger.acknowledged.push({ file, version, content });
      onAcknowledged();
    } catch {
      return;
    }
  }
}

async function check(daemon: TestDaemon, folder: string, ledger: Ledger): Promise<void> {
  const seen = new Map<string, string>();
  for (const { file } of (await daemon.call("GET", route, DocumentList)).documents) {
    const { versions } = await daemon.call("GET", `${route}/${file}?history=1`, DocumentHistory);
    expect(versions.map(({ version }) => version)).toEqual(versions.map((_, index) => versions.length - index));
    const latest = await daemon.call("GET", `${route}/${file}`, DocumentVersion);
    expect(readFileSync(join(folder, file), "utf8") === latest.content).toBe(true);
    for (const { version } of versions.slice(0, 30)) {
      const { content } = await daemon.call("GET", `${route}/${file}?version=${version}`, DocumentVersion);
      expect(ledger.sent.has(content)).toBe(true);
      // What was sent once is one version: an outdated file is not an edit.
      expect([...seen.values()].includes(content)).toBe(false);
      seen.set(`${file} ${version}`, content);
    }
  }
  for (const { file, version, content } of ledger.acknowledged.slice(-30)) {
    const kept = await daemon.call("GET", `${route}/${file}?version=${version}`, DocumentVersion);
    expect(kept.content === content).toBe(true);
  }
}

test(
  "no acknowledged version is lost, none is made up, no file is torn",
  async () => {
    await using place = await createPlace();
    const folder = join(place.project, ".workflow/team/main/documents");
    const ledger: Ledger = { sent: new Set(), acknowledged: [] };
    let daemon = await startDaemon(place);
    await daemon.start({ name: "team", agents: { alice: { backend: "mock" } } });
    for (let cycle = 0; cycle < cycles; cycle++) {
      let left = random.int(1, maxVersions);
      const enough = Promise.withResolvers<void>();
      const count = () => --left === 0 && enough.resolve();
      const writing = files.map((file) => write(daemon, file, ledger, count));
      // Others are in progress when the last of these is acknowledged.
      await Promise.race([enough.promise, Promise.all(writing)]);
      await daemon.kill();
      await Promise.all(writing);
      daemon = await startDaemon(place);
      await check(daemon, folder, ledger);
    }
    const strays = readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith(".new"));
    expect(strays.length).toBeLessThanOrEqual(files.length);
    expect(ledger.acknowledged.length).toBeGreaterThanOrEqual(cycles);
    say(`documents: ${cycles} kills, ${ledger.acknowledged.length} versions acknowledged, all there`);
    await daemon.shutDown();
  },
  30_000 + cycles * 3_000,
);
