/** Runs the contract against both kinds of documents. */
import { afterAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFiledDocuments } from "../../src/daemon/documents/filed-documents.ts";
import { createFolder } from "../../src/daemon/documents/folder.ts";
import { createStoredDocuments } from "../../src/daemon/documents/stored-documents.ts";
import { documentsContract } from "./documents.ts";

const projects = mkdtempSync(join(tmpdir(), "documents-contract-"));
afterAll(() => rmSync(projects, { recursive: true }));

documentsContract("documents in the store", createStoredDocuments);
documentsContract("documents as files", (store, instance) => {
  const project = mkdtempSync(join(projects, "project-"));
  return createFiledDocuments(store, instance, createFolder(project, join(project, ".workflow/review/main/documents")));
});
