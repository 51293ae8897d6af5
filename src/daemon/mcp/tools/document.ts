/** Document tools: read and write the shared files of a workflow, with all their versions. */
import { z } from "zod";
import {
  DocumentAppendInput,
  DocumentCreateInput,
  DocumentDeleteInput,
  DocumentListResult,
  DocumentReadInput,
  DocumentReadResult,
  DocumentSuggestInput,
  DocumentSuggestResult,
  DocumentWriteInput,
  DocumentWriteResult,
} from "../../../protocol/tools/document.ts";
import { type Caller, defineTool } from "../tool.ts";

type Written = Awaited<ReturnType<Caller["operations"]["writeDocument"]>>;

const documentRead = defineTool({
  name: "document_read",
  title: "Read a document",
  description:
    "Read a shared document: by default the latest version of the entry point, otherwise the file or version that you name.",
  input: DocumentReadInput,
  output: DocumentReadResult,
  // It records what the turn has read, as the base of its next write; this changes nothing that others can see.
  readOnly: true,
  idempotent: true,
  async run({ operations, claim }, input) {
    const found = await operations.readDocument(await operations.instanceOfTurn(claim), claim, input);
    const { file, version, author, createdAt, content } = found;
    const head =
      version === 0 ? `${file} is empty: it has not been written yet.` : `${file}, version ${version}, by ${author}:`;
    return {
      text: content === "" ? head : `${head}\n\n${content}`,
      result: { file, version, author, createdAt, content },
    };
  },
});

const documentWrite = defineTool({
  name: "document_write",
  title: "Write a document",
  description:
    "Replace the content of a shared document, or create it. Read it first: a write that is not based on the latest version is refused with an error that shows both versions.",
  input: DocumentWriteInput,
  output: DocumentWriteResult,
  readOnly: false,
  idempotent: true,
  async run({ operations, claim }, { content, file, base_version: base }) {
    const instance = await operations.instanceOfTurn(claim);
    return describe(await operations.writeDocument(instance, claim, { content, file, base }));
  },
});

const documentAppend = defineTool({
  name: "document_append",
  title: "Add to a document",
  description:
    "Add lines to the end of a shared document. You do not need to read it first, and nothing that others add at the same time is lost.",
  input: DocumentAppendInput,
  output: DocumentWriteResult,
  readOnly: false,
  idempotent: false,
  async run({ operations, claim }, input) {
    return describe(await operations.appendDocument(await operations.instanceOfTurn(claim), claim, input));
  },
});

const documentCreate = defineTool({
  name: "document_create",
  title: "Create a document",
  description: "Create a shared document that does not exist yet.",
  input: DocumentCreateInput,
  output: DocumentWriteResult,
  readOnly: false,
  idempotent: false,
  async run({ operations, claim }, { file, content = "" }) {
    return describe(await operations.createDocument(await operations.instanceOfTurn(claim), claim, { file, content }));
  },
});

const documentDelete = defineTool({
  name: "document_delete",
  title: "Delete a document",
  description: "Delete a shared document. Its versions are kept and can still be read.",
  input: DocumentDeleteInput,
  output: DocumentWriteResult,
  readOnly: false,
  idempotent: false,
  destructive: true,
  async run({ operations, claim }, { file, base_version: base }) {
    const instance = await operations.instanceOfTurn(claim);
    const { version, changed } = await operations.deleteDocument(instance, claim, { file, base });
    return { text: `${file} deleted; its versions are kept.`, result: { file, version: version.version, changed } };
  },
});

const documentList = defineTool({
  name: "document_list",
  title: "List the documents",
  description: "List the shared documents, with the latest version of each and its author.",
  input: z.object({}),
  output: DocumentListResult,
  readOnly: true,
  idempotent: true,
  async run({ operations, claim }) {
    const { documents, entryPoint, owner } = await operations.listDocuments(await operations.instanceOfTurn(claim));
    const lines = documents.map(({ file, version, author, bytes }) => {
      const mark = file === entryPoint ? " (entry point)" : "";
      return `${file}${mark}: version ${version}, by ${author}, ${bytes} bytes`;
    });
    const note = owner === null ? [] : [`Only ${owner} can write them; document_suggest sends ${owner} your change.`];
    const text = [...(lines.length > 0 ? lines : ["There are no documents yet."]), ...note].join("\n");
    return { text, result: { documents, entryPoint, owner } };
  },
});

const documentSuggest = defineTool({
  name: "document_suggest",
  title: "Suggest a change",
  description: "Suggest a change to a shared document. The agent that owns the documents gets it as a message.",
  input: DocumentSuggestInput,
  output: DocumentSuggestResult,
  readOnly: false,
  idempotent: false,
  async run({ operations, claim }, input) {
    const { message, owner } = await operations.suggestDocument(await operations.instanceOfTurn(claim), claim, input);
    return { text: `Suggested to ${owner} as #${message.seq}.`, result: { id: message.id, seq: message.seq, owner } };
  },
});

export const documentTools = [
  documentRead,
  documentWrite,
  documentAppend,
  documentList,
  documentCreate,
  documentDelete,
  documentSuggest,
];

function describe({ version: { file, version }, changed }: Written) {
  const text = changed
    ? `${file} written: version ${version}.`
    : `${file} already has this content: version ${version}.`;
  return { text, result: { file, version, changed } };
}
