/** The documents of each instance; opened once per instance, so that all writes share one queue. */
import { resolve } from "node:path";
import type { SharedContext } from "../../../protocol/definition/definition.ts";
import { AppError } from "../../../protocol/error.ts";
import { interpolate } from "../../../workflow/expression/interpolate.ts";
import type { Documents } from "../../documents/documents.ts";
import { createFiledDocuments } from "../../documents/filed-documents.ts";
import { createFolder } from "../../documents/folder.ts";
import { createStoredDocuments } from "../../documents/stored-documents.ts";
import type { Instance } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";
import { type RetryOptions, retryEach } from "../retry-while-unavailable.ts";

export type OpenDocuments = {
  of(instance: Instance): Documents;
  forget(instance: string): void;
};

export function createOpenDocuments(store: Store): OpenDocuments {
  /** By instance, with their folder: a later run can use another one. */
  const open = new Map<string, { folder: string | null; documents: Documents }>();
  return {
    of(instance) {
      const folder = folderOf(instance);
      const known = open.get(instance.id);
      if (known && known.folder === folder) return known.documents;
      const documents =
        folder === null
          ? createStoredDocuments(store, instance.id)
          : createFiledDocuments(store, instance.id, createFolder(instance.project, folder));
      open.set(instance.id, { folder, documents });
      return documents;
    },
    forget: (instance) => void open.delete(instance),
  };
}

/**
 * The same documents, but each operation is retried while the store is unavailable. It is retried as a whole and joins
 * their queue again each time, so that no other caller waits for it.
 */
export function createRetryingDocuments(openDocuments: OpenDocuments, options: RetryOptions): OpenDocuments {
  return { ...openDocuments, of: (instance) => retryEach(options, openDocuments.of(instance)) };
}

/** What the agents of an instance share; throws if they share nothing. */
export function contextOf({ name, definition }: Instance): SharedContext {
  if (definition.context !== false) return definition.context;
  throw new AppError("usage", `${name} has no documents: its agents share nothing (context: false)`);
}

/** Null for documents that exist only in the store, such as those of standalone agents, which have no project. */
export function folderOf(instance: Instance): string | null {
  const { documents, config } = contextOf(instance);
  if (documents === "sqlite" || instance.project === "") return null;
  return resolve(contextFolder(instance, config.dir), contextFolder(instance, config.documentDir, ""));
}

/** The values of `context.channel` and `context.document`; empty if there is no such file. */
export function contextPaths(instance: Instance): { channel: string; document: string } {
  if (instance.definition.context === false || instance.project === "") return { channel: "", document: "" };
  const { config } = instance.definition.context;
  const folder = folderOf(instance);
  return {
    channel: resolve(contextFolder(instance, config.dir), config.channel),
    document: folder === null ? "" : resolve(folder, config.document),
  };
}

/** A folder of `context.config`, whose text can refer only to the instance. */
export function contextFolder(
  { name, tag, project, dir }: Pick<Instance, "name" | "tag" | "project" | "dir">,
  template: string,
  base: string = project,
): string {
  const nothing = { captured: {}, env: {}, params: {}, context: { channel: "", document: "" } };
  const { text } = interpolate(template, { ...nothing, workflow: { name, tag }, source: { dir } });
  return base === "" ? text : resolve(base, text);
}
