/** Documents for people and their programs: listed, read, written, added to, deleted, with their history. */
import { type Context, Hono } from "hono";
import { z } from "zod";
import {
  type DocumentHistory,
  type DocumentList,
  type WriteDocumentAnswer,
  WriteDocumentRequest,
} from "../../protocol/http/bodies.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Env } from "./guard.ts";
import { readBody, readQuery, readTarget } from "./request.ts";

const Reading = z.object({
  version: z.coerce.number().int().min(1).optional(),
  /** `1`: its versions, newest first, in place of one with its content. */
  history: z.enum(["0", "1"]).default("0"),
});
const Deleting = z.object({ base: z.coerce.number().int().min(1).optional() });

export function documentRoutes(kernel: Operations): Hono<Env> {
  const route = "/workflows/:target/documents";
  return new Hono<Env>()
    .get(route, async (context) => {
      const { instance } = await readTarget(kernel, context);
      return context.json((await kernel.listDocuments(instance)) satisfies DocumentList);
    })
    .get(`${route}/:file{.+}`, async (context) => {
      const { instance } = await readTarget(kernel, context);
      const { version, history } = readQuery(context, Reading);
      const file = fileOf(context);
      if (history === "1") {
        return context.json({ versions: await kernel.documentHistory(instance, file) } satisfies DocumentHistory);
      }
      return context.json(await kernel.readDocument(instance, "user", { file, version }));
    })
    .put(`${route}/:file{.+}`, async (context) => {
      const { body } = readBody(context, WriteDocumentRequest);
      const { instance } = await readTarget(kernel, context, body);
      const { content, base = "latest", append } = body;
      const file = fileOf(context);
      const { version, changed } = append
        ? await kernel.appendDocument(instance, "user", { file, content })
        : await kernel.writeDocument(instance, "user", { file, content, base });
      return context.json({ ...version, changed } satisfies WriteDocumentAnswer);
    })
    .delete(`${route}/:file{.+}`, async (context) => {
      const { instance } = await readTarget(kernel, context);
      const { base = "latest" } = readQuery(context, Deleting);
      const { version } = await kernel.deleteDocument(instance, "user", { file: fileOf(context), base });
      return context.json({ ...version, changed: true } satisfies WriteDocumentAnswer);
    });
}

/** `-` stands for the entry point, whose name the client need not know. No document can have that name. */
function fileOf(context: Context): string | undefined {
  const file = context.req.param("file") ?? "";
  return file === "-" ? undefined : file;
}
