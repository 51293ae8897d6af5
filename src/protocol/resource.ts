/** A resource: immutable content, identified by its hash, for text that is too long for a message. */
import { z } from "zod";

export const ResourceInfo = z.object({
  /** SHA-256 of the content, in hexadecimal. */
  id: z.string(),
  /** The media type of the content. */
  type: z.string(),
  /** In characters, like offsets. */
  size: z.number().int(),
});
export type ResourceInfo = z.infer<typeof ResourceInfo>;

/** A range of a resource; `next` is the offset of the rest, null at the end. */
export const ResourcePart = ResourceInfo.extend({
  offset: z.number().int(),
  content: z.string(),
  next: z.number().int().nullable(),
});
export type ResourcePart = z.infer<typeof ResourcePart>;

export const defaultResourceType = "text/plain";
