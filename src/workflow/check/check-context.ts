/** Checks `context`: that the document owner exists, and that the folders and documents have valid names. */
import { documentNameProblem } from "../../protocol/document-name.ts";
import { checkTemplate, type KnownNames } from "./check-template.ts";
import type { Finding, Path } from "../diagnostics/diagnostic.ts";
import { electKeyword } from "../election.ts";
import { entriesOf, fieldOf } from "../../text/json.ts";
import { didYouMean } from "../../text/suggest.ts";

/** Names that are known before anything runs, so that the folder is the same in every run. */
const dirNames: KnownNames = {
  names: new Set(["workflow.name", "workflow.tag", "workflow.instance", "instance"]),
  environment: false,
};

export function checkContext(workflow: unknown): Finding[] {
  const context = fieldOf(workflow, "context");
  const config = fieldOf(context, "config");
  const at = ["context", "config"];
  return [
    ...checkOwner(fieldOf(context, "documentOwner"), entriesOf(fieldOf(workflow, "agents"))),
    ...checkDatabase(context, [...at, "db"]),
    ...checkFolder(fieldOf(config, "dir"), [...at, "dir"]),
    ...checkFolder(fieldOf(config, "documentDir"), [...at, "documentDir"]),
    ...checkChannel(context, [...at, "channel"]),
    ...checkDocument(fieldOf(config, "document"), [...at, "document"]),
    ...checkDocuments(fieldOf(config, "documents"), [...at, "documents"]),
  ];
}

function checkOwner(owner: unknown, agents: [string, unknown][]): Finding[] {
  if (typeof owner !== "string") return [];
  const path = ["context", "documentOwner"];
  const names = agents.map(([name]) => name);
  if (names.some((name) => name.toLowerCase() === owner.toLowerCase())) return [];
  if (owner === electKeyword) return [];
  return [{ severity: "error", message: `no agent named '${owner}'${didYouMean(owner, names)}`, path }];
}

function checkDatabase(context: unknown, path: Path): Finding[] {
  const db = fieldOf(fieldOf(context, "config"), "db");
  if (typeof db !== "string" || db === "") return [];
  if (fieldOf(context, "provider") === "memory") {
    return [{ severity: "error", message: "provider: memory has no database file", path, part: "key" }];
  }
  if (db.endsWith("/") || partsOf(db).length === 0) {
    return [
      {
        severity: "error",
        message: "this is a folder, not a file",
        path,
        hint: "write a file such as .workflow/team.db",
      },
    ];
  }
  return checkFolder(db, path, "database");
}

/** Everything a workflow shares is inside the project, not scattered over the disk. */
function checkFolder(folder: unknown, path: Path, what = "folder"): Finding[] {
  if (typeof folder !== "string") return [];
  const isAbsolute = folder.startsWith("/") || folder.startsWith("~");
  if (!isAbsolute && !folder.split("/").includes("..")) return checkTemplate(folder, path, dirNames);
  const message = `the ${what} must be inside the project`;
  return [{ severity: "error", message, path, hint: "write a path relative to the project, without .." }];
}

/** The files of the projection must not be in the documents folder, nor overwrite each other. */
function checkChannel(context: unknown, path: Path): Finding[] {
  const config = fieldOf(context, "config");
  const channel = fieldOf(config, "channel") ?? "channel.md";
  const documents = fieldOf(config, "documentDir") ?? "documents/";
  if (typeof channel !== "string" || channel === "" || typeof documents !== "string") return [];
  if (documentNameProblem(channel) !== undefined) {
    const hint = "write a name relative to context.config.dir, such as channel.md";
    return [{ severity: "error", message: "this is not a valid name for the channel's file", path, hint }];
  }
  if (fieldOf(context, "provider") !== "file" || fieldOf(context, "documents") === "sqlite") return [];
  const parts = partsOf(channel);
  const isAmong = (folder: string[]) => folder.every((part, index) => part === parts[index]);
  if (parts[0] === "_state") return [{ severity: "error", message: "the folder _state/ is reserved", path }];
  if (!isAmong(partsOf(documents)) && partsOf(documents)[0] !== "_state") return [];
  const hint = "set context.config.documentDir to a separate folder";
  return [{ severity: "error", message: `${channel} and _state/ would be in the documents folder`, path, hint }];
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

function checkDocuments(documents: unknown, path: Path): Finding[] {
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document: unknown, index) => checkDocument(document, [...path, index]));
}

function checkDocument(document: unknown, path: Path): Finding[] {
  const message = typeof document === "string" && document !== "" ? documentNameProblem(document) : undefined;
  return message === undefined ? [] : [{ severity: "error", message, path }];
}
