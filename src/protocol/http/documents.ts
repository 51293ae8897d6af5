/** Routes of documents: list, read, write, append to and delete them, and read their history. */
import { z } from "zod";
import { DocumentInfo, DocumentVersion } from "../document.ts";
import { OriginBody } from "./origin.ts";
import { route, wholeNumber } from "./route.ts";

/** `GET /workflows/:target/documents`. */
export const DocumentList = z.object({
  documents: z.array(DocumentInfo),
  /** The default document. */
  entryPoint: z.string(),
  /** The only agent that can write documents; null if all can. */
  owner: z.string().nullable(),
  /** The folder with the files; null if the documents are only in the store. */
  folder: z.string().nullable(),
});
export type DocumentList = z.infer<typeof DocumentList>;

/** `GET /workflows/:target/documents/<file>?history=1`. */
export const DocumentHistory = z.object({ versions: z.array(DocumentInfo) });
export type DocumentHistory = z.infer<typeof DocumentHistory>;

/** `PUT /workflows/:target/documents/<file>`. Without `base` it replaces the latest version, like an edit of the file. */
export const WriteDocumentRequest = OriginBody.extend({
  content: z.string(),
  base: z.int().min(0).optional(),
  /** Appends the content instead. */
  append: z.boolean().default(false),
});

/** Response to a `PUT` or `DELETE` of a document. */
export const WriteDocumentResponse = DocumentVersion.extend({ changed: z.boolean() });

export const documentRoutes = {
  "GET /workflows/:target/documents": route({
    summary: "Lists the documents of an instance with their latest versions.",
    response: { DocumentList },
  }),
  "GET /workflows/:target/documents/:file{.+}": route({
    summary:
      "Returns one document; `-` is the entry point. With `history=1` it returns a `DocumentHistory`: the versions, newest first.",
    query: z.object({
      version: wholeNumber.min(1).optional().describe("An earlier version. Default: the latest."),
      history: z.enum(["0", "1"]).default("0").describe("`1`: list the versions, without their content."),
    }),
    response: { DocumentVersion, DocumentHistory },
  }),
  "PUT /workflows/:target/documents/:file{.+}": route({
    summary:
      "Writes a document, or appends to it. Refused with 409 and both versions if `base` is not the latest version.",
    body: { WriteDocumentRequest },
    response: { WriteDocumentResponse },
  }),
  "DELETE /workflows/:target/documents/:file{.+}": route({
    summary: "Deletes a document and keeps its versions.",
    query: z.object({
      base: wholeNumber.min(1).optional().describe("Delete only if this is still the latest version."),
    }),
    response: { WriteDocumentResponse },
  }),
};
