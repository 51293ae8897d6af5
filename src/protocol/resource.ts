/** A resource: content that never changes, named by its own hash, for what is too large for a message. */
import { z } from "zod";

export const ResourceInfo = z.object({
  /** The SHA-256 of the content, in hexadecimal. */
  id: z.string(),
  /** What kind of content it is, as a media type. */
  type: z.string(),
  /** In characters, as offsets count them. */
  size: z.number().int(),
});
export type ResourceInfo = z.infer<typeof ResourceInfo>;

/** A range of a resource; `next` is where the rest begins, null at the end. */
export const ResourcePart = ResourceInfo.extend({
  offset: z.number().int(),
  content: z.string(),
  next: z.number().int().nullable(),
});
export type ResourcePart = z.infer<typeof ResourcePart>;

export const defaultResourceType = "text/plain";
