/** Checks what agents share: that its owner exists, and that its folder and documents can be named so. */
import { documentNameProblem } from "../protocol/document.ts";
import { checkTemplate, type KnownNames } from "./check-template.ts";
import type { Finding, Path } from "./diagnostic.ts";
import { electKeyword } from "./election.ts";
import { entriesOf, fieldOf } from "./json.ts";
import { didYouMean } from "./suggest.ts";

/** Known before anything has run, so that a folder is the same in every run. */
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
    ...checkFolder(fieldOf(config, "dir"), [...at, "dir"]),
    ...checkFolder(fieldOf(config, "documentDir"), [...at, "documentDir"]),
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
  return [{ severity: "error", message: `no agent is called '${owner}'${didYouMean(owner, names)}`, path }];
}

/** A folder lies under the project: what a workflow shares is not strewn over the disk. */
function checkFolder(folder: unknown, path: Path): Finding[] {
  if (typeof folder !== "string") return [];
  const isAbsolute = folder.startsWith("/") || folder.startsWith("~");
  if (!isAbsolute && !folder.split("/").includes("..")) return checkTemplate(folder, path, dirNames);
  const message = "the folder must lie inside the project";
  return [{ severity: "error", message, path, hint: "write it relative to the project, without .." }];
}

function checkDocuments(documents: unknown, path: Path): Finding[] {
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document: unknown, index) => checkDocument(document, [...path, index]));
}

function checkDocument(document: unknown, path: Path): Finding[] {
  const message = typeof document === "string" && document !== "" ? documentNameProblem(document) : undefined;
  return message === undefined ? [] : [{ severity: "error", message, path }];
}
