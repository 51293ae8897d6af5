/** Documents that only the store keeps. */
import { AppError } from "../../protocol/error.ts";
import type { Store } from "../store/store.ts";
import { createQueue } from "./queue.ts";
import { type Documents, appendLines, checkContent, checkName } from "./documents.ts";

/** Tries of an append: another write, or another daemon, can come between its read and its write. */
const maxTries = 10;

export function createStoredDocuments(store: Store, instance: string): Documents {
  const inOrder = createQueue();

  async function add(...[writer, file, text]: Parameters<Documents["append"]>): ReturnType<Documents["append"]> {
    for (let tries = 0; tries < maxTries; tries++) {
      const current = await store.document({ instance }, file);
      const content = appendLines(current?.deleted === false ? current.content : "", text);
      checkContent(file, content);
      const change = { file, content, base: current?.version ?? 0, blind: true };
      const result = await store.writeDocument(writer, change);
      if ("version" in result) return result;
    }
    throw new AppError("conflict", `${file} changes too fast to be appended to`, { hint: "try again" });
  }

  return {
    async read(reader, file, version) {
      checkName(file);
      const found = await store.document(reader, file, version);
      return found?.deleted === false ? found : null;
    },
    async write(writer, change) {
      checkName(change.file);
      if (change.content !== null) checkContent(change.file, change.content);
      return store.writeDocument(writer, change);
    },
    async append(writer, file, text) {
      checkName(file);
      return inOrder(() => add(writer, file, text));
    },
    list: async () => (await store.documents(instance)).filter(({ deleted }) => !deleted),
    async history(file, limit) {
      checkName(file);
      return store.documentHistory(instance, file, limit);
    },
    prepareClearing: async () => async () => undefined,
  };
}
