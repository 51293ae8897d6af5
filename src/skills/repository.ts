/** Repositories of skills, fetched once into the home and used from there. */
import { mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../system/sha256.ts";
import { fetchRevision, type Revision } from "./git.ts";

export type Cache = { folder: string; env: Record<string, string | undefined>; signal: AbortSignal };

/** A branch moves on; what was fetched longer ago is fetched anew, and stays when that fails. */
const freshMs = 24 * 3_600_000;
const commit = /^[0-9a-f]{40}$/;

/** Where the revision lies once it has been fetched. */
export function cachedFolder({ url, ref }: Revision, cache: string): string {
  return join(cache, sha256(`${url}\n${ref ?? ""}`).slice(0, 32));
}

/** The folder of the revision, fetched when it is missing or old. */
export async function openRevision(revision: Revision, { folder, env, signal }: Cache): Promise<string> {
  const place = cachedFolder(revision, folder);
  const existing = await stat(place).catch(() => null);
  const isFixed = commit.test(revision.ref ?? "");
  if (existing && (isFixed || Date.now() - existing.mtimeMs < freshMs)) return place;
  try {
    await fetchInto(revision, place, { folder, env, signal });
  } catch (error) {
    if (!existing || signal.aborted) throw error;
  }
  return place;
}

/** Made elsewhere and renamed into place, so that workers side by side never see half of it. */
async function fetchInto(revision: Revision, place: string, { folder, env, signal }: Cache): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const fresh = await mkdtemp(join(folder, ".fetching-"));
  try {
    await fetchRevision(revision, fresh, env, signal);
    await rm(join(fresh, ".git"), { recursive: true, force: true });
    await rm(place, { recursive: true, force: true });
    await rename(fresh, place).catch((error: NodeJS.ErrnoException) => {
      // Another worker has just put the same there.
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}
