/** Reading and writing documents: who can do what, and the errors when they cannot. */
import type { DocumentInfo, DocumentVersion } from "../../../protocol/document.ts";
import { AppError } from "../../../protocol/error.ts";
import type { DocumentList } from "../../../protocol/http/documents.ts";
import { messageBytes, pageSize } from "../../../protocol/limits.ts";
import { nearest } from "../../../text/suggest.ts";
import type { Documents } from "../../documents/documents.ts";
import type { Appended, Claim, DocumentConflict, DocumentWritten, Instance, Writer } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";
import { awaitsOwner } from "../proposals/election.ts";
import { sendFromTurn } from "../channel/send.ts";
import type { Wake } from "../ports.ts";
import { type OpenDocuments, contextOf, folderOf } from "./open-documents.ts";
import { headAndTail } from "../../../text/shorten.ts";

type Shared = { store: Store; openDocuments: OpenDocuments };
/** Who reads or writes: a turn, or a person. */
type By = Claim | "user";

/** How much of each version a conflict error shows. */
const shownChars = 4_000;

/** The latest or a given version of a document. The entry point can always be read; at first it is empty. */
export async function readDocument(
  { openDocuments }: Shared,
  instance: Instance,
  by: By,
  { file = entryPoint(instance), version }: { file?: string; version?: number },
): Promise<DocumentVersion> {
  const documents = openDocuments.of(instance);
  const found = await documents.read(by === "user" ? { instance: instance.id } : by, file, version);
  if (found) return found;
  if (version !== undefined) throw await unknownVersion(documents, file, version);
  if (file === entryPoint(instance)) return unwritten(file);
  throw await unknownDocument(documents, file);
}

export async function writeDocument(
  shared: Shared,
  instance: Instance,
  by: By,
  { file = entryPoint(instance), content, base }: { file?: string; content: string; base?: number | "latest" },
): Promise<DocumentWritten> {
  await checkOwner(shared, instance, by);
  const result = await shared.openDocuments.of(instance).write(writerOf(instance, by), { file, content, base });
  if ("version" in result) return result;
  throw refusal(file, result.conflict, base);
}

export async function appendDocument(
  shared: Shared,
  instance: Instance,
  by: By,
  { file = entryPoint(instance), content }: { file?: string; content: string },
): Promise<DocumentWritten> {
  await checkOwner(shared, instance, by);
  return shared.openDocuments.of(instance).append(writerOf(instance, by), file, content);
}

/** Writes a document that must not exist yet. */
export async function createDocument(
  shared: Shared,
  instance: Instance,
  by: By,
  { file, content }: { file: string; content: string },
): Promise<DocumentWritten> {
  await checkOwner(shared, instance, by);
  const result = await shared.openDocuments.of(instance).write(writerOf(instance, by), { file, content, base: 0 });
  if ("version" in result && result.changed) return result;
  const there = "version" in result ? result.version : result.conflict.current;
  throw new AppError("conflict", `${file} already exists: version ${there?.version}, by ${there?.author}`, {
    hint: "read it, then write it",
  });
}

export async function deleteDocument(
  shared: Shared,
  instance: Instance,
  by: By,
  { file = entryPoint(instance), base }: { file?: string; base?: number | "latest" },
): Promise<DocumentWritten> {
  await checkOwner(shared, instance, by);
  const result = await shared.openDocuments.of(instance).write(writerOf(instance, by), { file, content: null, base });
  if ("version" in result) return result;
  throw refusal(file, result.conflict, base);
}

/** Sends a suggested change to the owner's inbox; names in the suggestion do not wake agents. */
export async function suggestDocument(
  shared: Shared & { wake: Wake },
  instance: Instance,
  claim: Claim,
  { file = entryPoint(instance), content }: { file?: string; content: string },
): Promise<Appended & { owner: string }> {
  const owner = await ownerOf(shared, instance);
  if (owner === null || owner === claim.agent) {
    const whose = owner === null ? "the documents have no owner" : "you own the documents";
    throw new AppError("usage", `${whose}, so a suggestion has no recipient`, { hint: "use document_write" });
  }
  if (content.trim() === "") throw new AppError("usage", "the suggestion is empty", { hint: "write what to change" });
  if (Buffer.byteLength(content) > messageBytes) {
    throw new AppError("too-large", `the suggestion is too long; the limit is ${messageBytes} bytes`, {
      hint: "store it with resource_create and suggest the id that you get",
    });
  }
  const documents = shared.openDocuments.of(instance);
  const version = (await documents.read({ instance: instance.id }, file))?.version ?? 0;
  const head = `A suggestion for ${file}${version > 0 ? `, which is at version ${version}` : ""}:\n\n`;
  const sent = await sendFromTurn(shared, claim, {
    content: head + content,
    to: [owner],
    values: [[head.length, head.length + content.length]],
  });
  return { ...sent, owner };
}

/** All documents, with what a writer needs to know: entry point, owner and folder. */
export async function listDocuments(shared: Shared, instance: Instance): Promise<DocumentList> {
  return {
    documents: await shared.openDocuments.of(instance).list(),
    entryPoint: entryPoint(instance),
    owner: await ownerOf(shared, instance),
    folder: folderOf(instance),
  };
}

/** For a transcript, which must work without the folder: the last known documents, and the problem. */
export async function listKnown(
  { store, openDocuments }: Shared,
  instance: Instance,
): Promise<{ documents: DocumentInfo[]; trouble: string | null }> {
  if (instance.definition.context === false) return { documents: [], trouble: null };
  try {
    return { documents: await openDocuments.of(instance).list(), trouble: null };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "failed") throw error;
    const known = await store.documents(instance.id);
    return { documents: known.filter(({ deleted }) => !deleted), trouble: error.message };
  }
}

/** The versions of a document, newest first. */
export async function documentHistory(
  { openDocuments }: Shared,
  instance: Instance,
  file: string = entryPoint(instance),
): Promise<DocumentInfo[]> {
  const documents = openDocuments.of(instance);
  const versions = await documents.history(file, pageSize);
  if (versions.length === 0 && file !== entryPoint(instance)) throw await unknownDocument(documents, file);
  return versions;
}

/** Creates the documents that the workflow lists, until the signal is aborted; existing ones are not changed. */
export async function createConfigured(
  { openDocuments, signal }: Pick<Shared, "openDocuments"> & { signal: AbortSignal },
  instance: Instance,
): Promise<void> {
  if (instance.definition.context === false) return;
  const documents = openDocuments.of(instance);
  const author = { instance: instance.id, author: "system" } as const;
  for (const file of instance.definition.context.config.documents) {
    const existing = await documents.read({ instance: instance.id }, file);
    if (signal.aborted) return;
    if (!existing) await documents.write(author, { file, content: "", base: 0 });
  }
}

function entryPoint(instance: Instance): string {
  return contextOf(instance).config.document;
}

/** The only agent that can write; null if all can, or if there is only one agent. */
async function ownerOf({ store }: Pick<Shared, "store">, instance: Instance): Promise<string | null> {
  const { documentOwner } = contextOf(instance);
  if (!mayBeOwned(instance)) return null;
  const names = (await store.agents(instance.id)).map(({ name }) => name);
  const find = (wanted: string | null | undefined) =>
    names.find((name) => name.toLowerCase() === wanted?.toLowerCase()) ?? null;
  return names.length < 2 ? null : (find(documentOwner) ?? find(instance.elected.documentOwner));
}

/** Avoids a lookup where the documents have no owner and get none. */
function mayBeOwned(instance: Instance): boolean {
  return contextOf(instance).documentOwner !== undefined || instance.elected.documentOwner !== null;
}

/** People can always write: the files are theirs. */
async function checkOwner(shared: Shared, instance: Instance, by: By): Promise<void> {
  if (by === "user" || !mayBeOwned(instance)) return;
  if (awaitsOwner(instance, await shared.store.agents(instance.id))) {
    throw new AppError("forbidden", "the documents cannot be written yet: the team is electing their owner", {
      hint: "vote first; proposal_status shows the election",
    });
  }
  const owner = await ownerOf(shared, instance);
  if (owner === null || owner === by.agent) return;
  throw new AppError("forbidden", `only ${owner} can write the documents of this workflow`, {
    hint: `document_suggest sends your change to ${owner}`,
  });
}

function writerOf({ id }: Instance, by: By): Writer {
  return by === "user" ? { instance: id, author: "user" } : by;
}

function unwritten(file: string): DocumentVersion {
  const nothing = { author: "system", turn: null, createdAt: 0, hash: "", bytes: 0, deleted: false, content: "" };
  return { file, version: 0, ...nothing };
}

/** Shows both versions, so that the writer can merge them; the refused text is kept as well. */
function refusal(file: string, { current, base, refused }: DocumentConflict, named?: number | "latest"): AppError {
  const now = current?.deleted === false ? current : null;
  const there = now
    ? `${file} is at version ${now.version}, by ${now.author}`
    : `${file} does not exist${current ? `: ${current.author} deleted it` : ""}`;
  const from = base
    ? `based on version ${base.version}`
    : named
      ? `based on version ${named}`
      : "made without reading it";
  const parts = [
    `nothing was written: ${there}, and your change was ${from}.`,
    ...(base ? [`--- version ${base.version}, by ${base.author}\n${excerpt(base)}`] : []),
    ...(now ? [`--- version ${now.version}, by ${now.author}\n${excerpt(now)}`] : []),
    "---",
  ];
  const next = now
    ? `merge your change into version ${now.version} and write the result with base_version ${now.version}`
    : "create the document again if it should exist";
  const kept = refused === null ? "" : `; what you wrote is kept as the resource ${refused}`;
  return new AppError("conflict", parts.join("\n"), {
    hint: next + kept,
    details: { file, current: now, base, refused },
  });
}

function excerpt({ content, file, version }: DocumentVersion): string {
  return headAndTail(
    content,
    shownChars,
    (missing) => `[… ${missing} characters: document_read ${file}, version ${version}]`,
  );
}

async function unknownVersion(documents: Documents, file: string, version: number): Promise<AppError> {
  const [latest] = await documents.history(file, 1);
  if (!latest) return unknownDocument(documents, file);
  return new AppError("not-found", `${file} has no version ${version} to read`, {
    hint: `its versions are 1 to ${latest.version}${latest.deleted ? ", and the last is its deletion" : ""}`,
  });
}

async function unknownDocument(documents: Documents, file: string): Promise<AppError> {
  const names = (await documents.list()).map((known) => known.file);
  const [close] = nearest(file, names, 1);
  const list = names.length > 0 ? `available: ${names.slice(0, 20).join(", ")}` : "there are no documents yet";
  return new AppError("not-found", `there is no document ${file}; ${list}`, {
    hint: close ? `did you mean ${close}?` : "writing it creates it",
  });
}
