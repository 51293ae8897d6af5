/** Document routes: list, read, write, append, delete, and read the history. */
import type { documentRoutes } from "../../protocol/http/documents.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Handlers } from "./handlers.ts";

export function documentHandlers(operations: Operations): Handlers<keyof typeof documentRoutes> {
  return {
    "GET /workflows/:target/documents": ({ instance }) => operations.listDocuments(instance),
    "GET /workflows/:target/documents/:file{.+}": async ({ instance, param, query: { version, history } }) => {
      const file = fileOf(param("file"));
      return history === "1"
        ? { versions: await operations.documentHistory(instance, file) }
        : operations.readDocument(instance, "user", { file, version });
    },
    "PUT /workflows/:target/documents/:file{.+}": async ({ instance, param, body }) => {
      const { content, base = "latest", append } = body;
      const file = fileOf(param("file"));
      const { version, changed } = append
        ? await operations.appendDocument(instance, "user", { file, content })
        : await operations.writeDocument(instance, "user", { file, content, base });
      return { ...version, changed };
    },
    "DELETE /workflows/:target/documents/:file{.+}": async ({ instance, param, query }) => {
      const { base = "latest" } = query;
      const { version } = await operations.deleteDocument(instance, "user", { file: fileOf(param("file")), base });
      return { ...version, changed: true };
    },
  };
}

/** `-` stands for the entry point, so that a client does not need to know its name. No document can be named `-`. */
function fileOf(name: string): string | undefined {
  return name === "-" ? undefined : name;
}
