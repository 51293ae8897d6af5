/** Documents: the shared files of the workflow, read and written version by version. */
import { z } from "zod";
import { AppError } from "../../../protocol/error.ts";
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
import * as documents from "../../kernel/documents/documents.ts";
import type { DocumentWritten, Instance } from "../../store/data.ts";
import { type Caller, defineTool } from "../tool.ts";

const documentRead = defineTool({
  name: "document_read",
  title: "Read a document",
  description:
    "Read a shared document: the entry point, or the one that you name; an earlier version if you say which.",
  input: DocumentReadInput,
  output: DocumentReadResult,
  // It notes what you have read, for the sake of your next write; nobody sees a difference.
  readOnly: true,
  idempotent: true,
  async run(caller, input) {
    const found = await documents.readDocument(caller.kernel, await instanceOf(caller), caller.claim, input);
    const { file, version, author, createdAt, content } = found;
    const head =
      version === 0 ? `${file} is empty: nobody has written it yet.` : `${file}, version ${version}, by ${author}:`;
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
    "Replace all of a shared document, or create it. Read it first: a write that was not made from the latest version is refused, and shows you both.",
  input: DocumentWriteInput,
  output: DocumentWriteResult,
  readOnly: false,
  idempotent: true,
  async run(caller, { content, file, base_version: base }) {
    const instance = await instanceOf(caller);
    return describe(await documents.writeDocument(caller.kernel, instance, caller.claim, { content, file, base }));
  },
});

const documentAppend = defineTool({
  name: "document_append",
  title: "Add to a document",
  description: "Add lines at the end of a shared document, whatever others add meanwhile; needs no reading before.",
  input: DocumentAppendInput,
  output: DocumentWriteResult,
  readOnly: false,
  idempotent: false,
  async run(caller, input) {
    return describe(await documents.appendDocument(caller.kernel, await instanceOf(caller), caller.claim, input));
  },
});

const documentCreate = defineTool({
  name: "document_create",
  title: "Create a document",
  description: "Create a shared document that is not there yet.",
  input: DocumentCreateInput,
  output: DocumentWriteResult,
  readOnly: false,
  idempotent: false,
  async run(caller, { file, content = "" }) {
    const instance = await instanceOf(caller);
    return describe(await documents.createDocument(caller.kernel, instance, caller.claim, { file, content }));
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
  async run(caller, { file, base_version: base }) {
    const instance = await instanceOf(caller);
    const { version, changed } = await documents.deleteDocument(caller.kernel, instance, caller.claim, { file, base });
    return { text: `${file} deleted; its versions are kept.`, result: { file, version: version.version, changed } };
  },
});

const documentList = defineTool({
  name: "document_list",
  title: "List the documents",
  description: "The shared documents, with their latest versions and who wrote them.",
  input: z.object({}),
  output: DocumentListResult,
  readOnly: true,
  idempotent: true,
  async run(caller) {
    const { kernel } = caller;
    const instance = await instanceOf(caller);
    const [list, owner] = [await documents.listDocuments(kernel, instance), await documents.ownerOf(kernel, instance)];
    const entryPoint = documents.entryPoint(instance);
    const lines = list.map(({ file, version, author, bytes }) => {
      const mark = file === entryPoint ? " (entry point)" : "";
      return `${file}${mark}: version ${version}, by ${author}, ${bytes} bytes`;
    });
    const rule = owner === null ? [] : [`Only ${owner} writes them; document_suggest sends your change to ${owner}.`];
    const text = [...(lines.length > 0 ? lines : ["There are no documents yet."]), ...rule].join("\n");
    return { text, result: { documents: list, entryPoint, owner } };
  },
});

const documentSuggest = defineTool({
  name: "document_suggest",
  title: "Suggest a change",
  description: "Send a change of a shared document to the agent that owns the documents.",
  input: DocumentSuggestInput,
  output: DocumentSuggestResult,
  readOnly: false,
  idempotent: false,
  async run(caller, input) {
    const instance = await instanceOf(caller);
    const { message, owner } = await documents.suggestDocument(caller.kernel, instance, caller.claim, input);
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

async function instanceOf({ kernel, claim }: Caller): Promise<Instance> {
  const instance = await kernel.store.instance(claim.workflow);
  if (!instance) throw new AppError("not-found", "this workflow is gone");
  return instance;
}

function describe({ version: { file, version }, changed }: DocumentWritten) {
  const text = changed
    ? `${file} written: version ${version}.`
    : `${file} has exactly this content: version ${version}.`;
  return { text, result: { file, version, changed } };
}
