/** Where an instance is stored: in the home's database, in memory, or in its own file inside its project. */
import { existsSync, lstatSync, mkdirSync, realpathSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { AppError } from "../../protocol/error.ts";
import { isInside, realFolderAbove } from "../../system/confined/inside.ts";
import { formatTarget } from "../../protocol/target.ts";
import { interpolate } from "../../workflow/expression/interpolate.ts";
import type { Instance } from "./data.ts";

export const inMemory = ":memory:";

type Placed = Pick<Instance, "name" | "tag" | "project" | "dir"> & {
  definition: Pick<Instance["definition"], "context">;
};

/** Null: in the home's database. */
export function databaseOf({ name, tag, project, dir, definition: { context } }: Placed): string | null {
  if (context === false) return null;
  if (context.provider === "memory") return inMemory;
  const { db } = context.config;
  if (db === undefined || project === "") return null;
  const nothing = { captured: {}, env: {}, params: {}, context: { channel: "", document: "" } };
  return resolve(project, interpolate(db, { ...nothing, workflow: { name, tag }, source: { dir } }).text);
}

/** The instance that a file belongs to, and whether the file must already exist. */
export type DatabasePlace = Pick<Instance, "name" | "tag" | "project"> & { mustExist: boolean };

/** Checks that the path is a file inside the project, and creates its folder. */
export function prepareDatabase(path: string, place: DatabasePlace): void {
  try {
    prepare(path, place);
  } catch (error) {
    if (error instanceof AppError || !(error instanceof Error)) throw error;
    const code = "code" in error ? String(error.code) : "";
    const isGone = code === "ENOENT" || code === "ENOTDIR";
    if (isGone && place.mustExist) throw missing(path, place);
    const reason = isGone ? `there is no folder ${place.project}` : error.message;
    throw new AppError("failed", `the database ${path} cannot be opened: ${reason}`, { cause: error });
  }
}

function prepare(path: string, place: DatabasePlace): void {
  const home = realpathSync(place.project);
  const file = lstatSync(path, { throwIfNoEntry: false });
  if (!isInside(home, realFolderAbove(path)) || file?.isSymbolicLink()) {
    throw new AppError("usage", `the database ${path} is behind a symbolic link or outside the project`, {
      hint: "set context.config.db to a file inside the project",
    });
  }
  if (file && !file.isFile()) throw new AppError("usage", `${path} is not a file`);
  if (place.mustExist && !file) throw missing(path, place);
  mkdirSync(dirname(path), { recursive: true });
}

function missing(path: string, { name, tag }: DatabasePlace): AppError {
  return new AppError("not-found", `the database ${path} is missing, and with it the history`, {
    hint: "put the file back",
    actions: [{ do: "start-fresh" }, { do: "remove", target: formatTarget({ workflow: name, tag }) }],
  });
}

/** Removes the file and the files that SQLite creates next to it. */
export function removeDatabase(path: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
}

/** A file contains only one instance, so that clearing one does not affect another. */
export function taken(path: string, owner: Pick<Instance, "name" | "tag" | "project">, project: string): AppError {
  const target = formatTarget({ workflow: owner.name, tag: owner.tag });
  return new AppError("conflict", `${path} is the database of ${target} in ${owner.project}`, {
    hint:
      owner.project === project
        ? "each instance needs its own file: put ${{ workflow.tag }} into context.config.db"
        : "if it is a copy, delete it to start over here; or set context.config.db to another file",
  });
}

/** Whether an instance's file was moved, for example because its project was renamed. */
export function hasLeft(instance: Placed): boolean {
  const path = databaseOf(instance);
  return path !== null && path !== inMemory && !existsSync(path);
}

/** An instance cannot move away from its history. */
export function moved(target: string, from: string | null, to: string | null): AppError {
  const say = (place: string | null) => place ?? "the home's database";
  return new AppError("conflict", `the history of ${target} is in ${say(from)}, not in ${say(to)}`, {
    hint: "change context.config.db back",
    actions: [{ do: "start-fresh" }],
  });
}
