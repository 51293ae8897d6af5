/** Resources: content too large for a message, stored once and read in parts. */
import { AppError } from "../../../protocol/error.ts";
import { resourceBytes } from "../../../protocol/limits.ts";
import type { ResourceInfo, ResourcePart } from "../../../protocol/resource.ts";
import type { Claim } from "../../store/data.ts";
import type { Kernel } from "../kernel.ts";

export async function createResource(
  { store }: Pick<Kernel, "store">,
  claim: Claim,
  resource: { content: string; type: string },
): Promise<ResourceInfo> {
  const bytes = Buffer.byteLength(resource.content);
  if (bytes > resourceBytes) {
    throw new AppError(
      "too-large",
      `the content is ${bytes} bytes long; the limit for a resource is ${resourceBytes}`,
      {
        hint: "split it into several resources",
      },
    );
  }
  return store.createResource(claim, resource);
}

/** A turn can read resources of its own instance, a client those of all instances. */
export async function readResource(
  { store }: Pick<Kernel, "store">,
  viewer: Claim | "client",
  id: string,
  range: { offset: number; limit: number },
): Promise<ResourcePart> {
  const part = await store.resource(viewer === "client" ? null : viewer.instance, id, range);
  if (part) return part;
  if (viewer === "client") {
    throw new AppError("not-found", "there is no such resource", { hint: "an id has 64 characters" });
  }
  throw new AppError("not-found", `there is no resource '${id.slice(0, 80)}' in this workflow`, {
    hint: "an id has 64 characters; give all of them",
  });
}
