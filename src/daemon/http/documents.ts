/** Documents for people and their programs: listed, read, written, added to, deleted, with their history. */
import { type Context, Hono } from "hono";
import { z } from "zod";
import { type DocumentHistory, type DocumentList, WriteDocumentRequest } from "../../protocol/http/documents.ts";
import {
  appendDocument,
  deleteDocument,
  documentHistory,
  entryPoint,
  listDocuments,
  ownerOf,
  readDocument,
  writeDocument,
} from "../kernel/documents/documents.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { folderOf } from "../kernel/documents/shelves.ts";
import type { Instance, Writer } from "../store/data.ts";
import type { Env } from "./guard.ts";
import { readBody, readQuery, readTarget } from "./request.ts";

const Reading = z.object({
  version: z.coerce.number().int().min(1).optional(),
  /** `1`: its versions, newest first, in place of one with its content. */
  history: z.enum(["0", "1"]).default("0"),
});
const Deleting = z.object({ base: z.coerce.number().int().min(1).optional() });

export function documentRoutes(kernel: Kernel): Hono<Env> {
  const route = "/workflows/:target/documents";
  return new Hono<Env>()
    .get(route, async (context) => {
      const { instance } = await readTarget(kernel, context);
      const list: DocumentList = {
        documents: await listDocuments(kernel, instance),
        entryPoint: entryPoint(instance),
        owner: await ownerOf(kernel, instance),
        folder: folderOf(instance),
      };
      return context.json(list);
    })
    .get(`${route}/:file{.+}`, async (context) => {
      const { instance } = await readTarget(kernel, context);
      const { version, history } = readQuery(context, Reading);
      const file = fileOf(context, instance);
      if (history === "1") {
        return context.json({ versions: await documentHistory(kernel, instance, file) } satisfies DocumentHistory);
      }
      return context.json(await readDocument(kernel, instance, { workflow: instance.id }, { file, version }));
    })
    .put(`${route}/:file{.+}`, async (context) => {
      const { body } = readBody(context, WriteDocumentRequest);
      const { instance } = await readTarget(kernel, context, body);
      const { content, base = "latest", append } = body;
      const file = fileOf(context, instance);
      const { version, changed } = append
        ? await appendDocument(kernel, instance, person(instance), { file, content })
        : await writeDocument(kernel, instance, person(instance), { file, content, base });
      return context.json({ ...version, changed });
    })
    .delete(`${route}/:file{.+}`, async (context) => {
      const { instance } = await readTarget(kernel, context);
      const { base = "latest" } = readQuery(context, Deleting);
      const file = fileOf(context, instance);
      const { version } = await deleteDocument(kernel, instance, person(instance), { file, base });
      return context.json({ ...version, changed: true });
    });
}

/** `-` stands for the entry point: whoever asks need not know its name. No document can be called so. */
function fileOf(context: Context, instance: Instance): string {
  const file = context.req.param("file") ?? "";
  return file === "-" ? entryPoint(instance) : file;
}

function person({ id }: Instance): Writer {
  return { workflow: id, author: "user" };
}
