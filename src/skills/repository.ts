/** Skill repositories, fetched once into the home folder and used from there. */
import { mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../system/sha256.ts";
import { fetchRevision, type Revision } from "./git.ts";

export type RepositoryCache = { folder: string; env: Record<string, string | undefined>; signal: AbortSignal };

/** Branches move: an older copy is fetched again, and kept if that fails. */
const maxAgeMs = 24 * 3_600_000;
const commit = /^[0-9a-f]{40}$/;

/** Where a fetched revision is stored. */
export function cachedFolder({ url, ref }: Revision, cache: string): string {
  return join(cache, sha256(`${url}\n${ref ?? ""}`).slice(0, 32));
}

/** The folder of the revision, fetched if it is missing or too old. */
export async function openRevision(revision: Revision, { folder, env, signal }: RepositoryCache): Promise<string> {
  const place = cachedFolder(revision, folder);
  const existing = await stat(place).catch(() => null);
  const isFixed = commit.test(revision.ref ?? "");
  if (existing && (isFixed || Date.now() - existing.mtimeMs < maxAgeMs)) return place;
  try {
    await fetchInto(revision, place, { folder, env, signal });
  } catch (error) {
    if (!existing || signal.aborted) throw error;
  }
  return place;
}

/** Fetched elsewhere and renamed into place, so that concurrent workers never see half of it. */
async function fetchInto(revision: Revision, place: string, { folder, env, signal }: RepositoryCache): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const fresh = await mkdtemp(join(folder, ".fetching-"));
  try {
    await fetchRevision(revision, fresh, env, signal);
    await rm(join(fresh, ".git"), { recursive: true, force: true });
    await rm(place, { recursive: true, force: true });
    await rename(fresh, place).catch((error: NodeJS.ErrnoException) => {
      // Another worker has just stored the same revision.
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}
