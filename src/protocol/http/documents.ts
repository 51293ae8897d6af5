/** Documents for people and their programs: listed, read, written, added to, deleted, with their history. */
import { z } from "zod";
import { DocumentInfo, DocumentVersion } from "../document.ts";
import { OriginBody } from "./origin.ts";
import { route, wholeNumber } from "./route.ts";

/** `GET /workflows/:target/documents`. */
export const DocumentList = z.object({
  documents: z.array(DocumentInfo),
  /** The document that is meant where none is named. */
  entryPoint: z.string(),
  /** The only agent that may write; null where all may. */
  owner: z.string().nullable(),
  /** Where they lie; null when only the store has them. */
  folder: z.string().nullable(),
});
export type DocumentList = z.infer<typeof DocumentList>;

/** `GET /workflows/:target/documents/<file>?history=1`. */
export const DocumentHistory = z.object({ versions: z.array(DocumentInfo) });
export type DocumentHistory = z.infer<typeof DocumentHistory>;

/** `PUT /workflows/:target/documents/<file>`. Without a base it replaces whatever is there, as an edit of the file would. */
export const WriteDocumentRequest = OriginBody.extend({
  content: z.string(),
  base: z.int().min(0).optional(),
  /** Adds the content at the end instead. */
  append: z.boolean().default(false),
});

/** Its answer, and that of `DELETE`. */
export const WriteDocumentAnswer = DocumentVersion.extend({ changed: z.boolean() });

export const documentRoutes = {
  "GET /workflows/:target/documents": route({
    summary: "The documents of an instance, with their latest versions.",
    answer: { DocumentList },
  }),
  "GET /workflows/:target/documents/:file{.+}": route({
    summary:
      "One document; `-` stands for the entry point. With `history=1` it answers a `DocumentHistory`: the versions, newest first.",
    query: z.object({
      version: wholeNumber.min(1).optional().describe("An earlier version."),
      history: z.enum(["0", "1"]).default("0").describe("`1`: the versions without their contents."),
    }),
    answer: { DocumentVersion, DocumentHistory },
  }),
  "PUT /workflows/:target/documents/:file{.+}": route({
    summary: "Writes a document, or adds to it. Refused with 409, and both versions, when `base` is not the latest.",
    body: { WriteDocumentRequest },
    answer: { WriteDocumentAnswer },
  }),
  "DELETE /workflows/:target/documents/:file{.+}": route({
    summary: "Deletes a document; its versions are kept.",
    query: z.object({ base: wholeNumber.min(1).optional().describe("Only if this is still the latest version.") }),
    answer: { WriteDocumentAnswer },
  }),
};
