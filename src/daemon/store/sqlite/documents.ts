/** Documents: keeps every version; a change must be based on the latest version. */
import type { DocumentInfo, DocumentVersion } from "../../../protocol/document.ts";
import { AppError } from "../../../protocol/error.ts";
import { documentsPerWorkflow } from "../../../protocol/limits.ts";
import { sha256 } from "../../../system/sha256.ts";
import type { Claim, DocumentChange, DocumentConflict, DocumentWritten, Writer } from "../data.ts";
import type { Connection } from "./connection.ts";
import { emit } from "./events.ts";
import { keepResource } from "./channel/resources.ts";
import { checkClaim, lineage } from "./turns/turns.ts";
import { workflowRow } from "./instances/workflows.ts";

type InfoRow = {
  file: string;
  version: number;
  hash: string;
  bytes: number;
  author: string;
  turn: string | null;
  created_at: number;
  deleted: number;
};
type VersionRow = InfoRow & { content: string };

const infoColumns = "file, version, hash, bytes, author, turn, created_at, deleted";

export function readDocument(
  connection: Connection,
  reader: Claim | { instance: string },
  file: string,
  version?: number,
): DocumentVersion | null {
  if ("turn" in reader) checkClaim(connection, reader);
  const found = find(connection, reader.instance, file, version);
  if (found && "turn" in reader) noteBase(connection, reader.turn, file, found.version);
  return found;
}

export function writeDocument(
  connection: Connection,
  writer: Writer,
  { file, content, base, blind = false }: DocumentChange,
): DocumentWritten | { conflict: DocumentConflict } {
  const turn = "turn" in writer ? writer.turn : null;
  if ("turn" in writer) checkClaim(connection, writer);
  const { instance } = writer;
  const [current] = readHistory(connection, instance, file, 1);
  const present = current?.deleted === false ? current : null;
  if (content === null && !present) throw new AppError("not-found", `there is no document ${file}`);
  if (!present) checkRoom(connection, instance);
  const hash = sha256(content ?? "");
  if (content !== null && present?.hash === hash) {
    if (turn !== null) noteBase(connection, turn, file, present.version);
    return { version: { ...present, content }, changed: false };
  }
  const known = turn === null ? 0 : readBase(connection, turn, file);
  const from = base ?? known;
  const isNew = !present && from === 0;
  if (from !== "latest" && !isNew && from !== current?.version) {
    const refused = content === null ? null : keepResource(connection, instance, content).id;
    const [now, seen] = [find(connection, instance, file), from === 0 ? null : find(connection, instance, file, from)];
    return { conflict: { current: now, base: seen, refused } };
  }
  const version = insert(connection, writer, {
    file,
    version: (current?.version ?? 0) + 1,
    content: content ?? "",
    hash,
    deleted: content === null,
  });
  const isKnown = !blind || !present || known === present.version;
  if (turn !== null && isKnown) noteBase(connection, turn, file, version.version);
  return { version, changed: true };
}

export function readDocuments(connection: Connection, instance: string): DocumentInfo[] {
  return connection
    .all<InfoRow>(
      `SELECT ${infoColumns} FROM documents d WHERE workflow = ?1 AND version =
         (SELECT MAX(version) FROM documents WHERE workflow = ?1 AND file = d.file) ORDER BY file`,
      instance,
    )
    .map(toInfo);
}

export function readHistory(connection: Connection, instance: string, file: string, limit: number): DocumentInfo[] {
  return connection
    .all<InfoRow>(
      `SELECT ${infoColumns} FROM documents WHERE workflow = ? AND file = ? ORDER BY version DESC LIMIT ?`,
      instance,
      file,
      limit,
    )
    .map(toInfo);
}

function find(connection: Connection, instance: string, file: string, version?: number): DocumentVersion | null {
  const row = connection.get<VersionRow>(
    `SELECT ${infoColumns}, content FROM documents WHERE workflow = ?1 AND file = ?2 AND (?3 IS NULL OR version = ?3)
     ORDER BY version DESC LIMIT 1`,
    instance,
    file,
    version ?? null,
  );
  return row && { ...toInfo(row), content: row.content };
}

function insert(
  connection: Connection,
  writer: Writer,
  { file, version, content, hash, deleted }: Pick<DocumentVersion, "file" | "version" | "content" | "hash" | "deleted">,
): DocumentVersion {
  const [author, turn] = "turn" in writer ? [writer.agent, writer.turn] : [writer.author, null];
  const written: DocumentVersion = {
    file,
    version,
    author,
    turn,
    createdAt: connection.now(),
    hash,
    bytes: Buffer.byteLength(content),
    deleted,
    content,
  };
  connection.run(
    `INSERT INTO documents (workflow, ${infoColumns}, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    writer.instance,
    file,
    version,
    written.hash,
    written.bytes,
    author,
    turn,
    written.createdAt,
    deleted ? 1 : 0,
    content,
  );
  const { run } = workflowRow(connection, writer.instance);
  const data = { file, version, author, bytes: written.bytes, deleted };
  emit(connection, writer.instance, run, { type: "document-write", turn, data });
  return written;
}

function checkRoom(connection: Connection, instance: string): void {
  const there = connection.get<{ count: number }>(
    `SELECT COUNT(*) AS count FROM documents d WHERE workflow = ?1 AND deleted = 0 AND version =
       (SELECT MAX(version) FROM documents WHERE workflow = ?1 AND file = d.file)`,
    instance,
  );
  if ((there?.count ?? 0) < documentsPerWorkflow) return;
  throw new AppError("limit", `a workflow can have at most ${documentsPerWorkflow} documents`, {
    hint: "write to an existing one",
  });
}

/** Never decreases: reading an earlier version does not undo having seen a later one. */
function noteBase(connection: Connection, turn: string, file: string, version: number): void {
  connection.run(
    `INSERT INTO document_bases (turn, file, version) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET version = excluded.version WHERE excluded.version > document_bases.version`,
    turn,
    file,
    version,
  );
}

/** 0 if neither this turn nor one it was split from has seen the document. */
function readBase(connection: Connection, turn: string, file: string): number {
  const row = connection.get<{ version: number | null }>(
    "SELECT MAX(version) AS version FROM document_bases WHERE turn IN (SELECT value FROM json_each(?)) AND file = ?",
    JSON.stringify(lineage(connection, turn)),
    file,
  );
  return row?.version ?? 0;
}

function toInfo(row: InfoRow): DocumentInfo {
  const { file, version, hash, bytes, author, turn } = row;
  return { file, version, hash, bytes, author, turn, createdAt: row.created_at, deleted: row.deleted === 1 };
}
