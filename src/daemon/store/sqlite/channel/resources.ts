/** Resources: content stored by hash, once per instance, and read in ranges. */
import { AppError } from "../../../../protocol/error.ts";
import { type ResourceInfo, type ResourcePart, defaultResourceType } from "../../../../protocol/resource.ts";
import { sha256 } from "../../../../system/sha256.ts";
import type { Claim } from "../../data.ts";
import type { Connection } from "../connection.ts";
import { checkClaim } from "../turns/turns.ts";

type ResourceRow = { id: string; type: string; content: string };

export function createResource(
  connection: Connection,
  claim: Claim,
  { content, type }: { content: string; type: string },
): ResourceInfo {
  checkClaim(connection, claim);
  if (!content.isWellFormed()) {
    throw new AppError("usage", "the content contains a lone surrogate (half a character)", {
      hint: "send valid Unicode",
    });
  }
  return keepResource(connection, claim.instance, content, type);
}

/** Runs inside the caller's transaction. Existing content keeps its type. */
export function keepResource(
  connection: Connection,
  instance: string,
  content: string,
  type: string = defaultResourceType,
): ResourceInfo {
  const id = sha256(content);
  connection.run(
    "INSERT INTO resources (workflow, id, type, content, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
    instance,
    id,
    type,
    content,
    connection.now(),
  );
  const kept = connection.get<{ type: string }>(
    "SELECT type FROM resources WHERE id = ? AND workflow = ?",
    id,
    instance,
  );
  return { id, type: kept?.type ?? type, size: content.length };
}

export function readResource(
  connection: Connection,
  instance: string | null,
  id: string,
  { offset, limit }: { offset: number; limit: number },
): ResourcePart | null {
  const row = connection.get<ResourceRow>(
    "SELECT id, type, content FROM resources WHERE id = ?1 AND (?2 IS NULL OR workflow = ?2) LIMIT 1",
    id,
    instance,
  );
  if (!row) return null;
  const { type, content } = row;
  const start = wholeCharacter(content, Math.min(offset, content.length));
  const end = Math.max(wholeCharacter(content, Math.min(start + limit, content.length)), nextCharacter(content, start));
  return {
    id,
    type,
    size: content.length,
    offset: start,
    content: content.slice(start, end),
    next: end < content.length ? end : null,
  };
}

/** The offset, or the one before if it would split a character. */
function wholeCharacter(text: string, place: number): number {
  const isInside = place > 0 && place < text.length && /[\uDC00-\uDFFF]/.test(text.charAt(place));
  return isInside ? place - 1 : place;
}

/** Returns at least one character, or a reader that asks for one would never advance. */
function nextCharacter(text: string, place: number): number {
  return Math.min(text.length, place + ((text.codePointAt(place) ?? 0) > 0xff_ff ? 2 : 1));
}
