/** Reads a whole text file inside the agent's folder, or explains why it cannot. */
import { MiB } from "../../../protocol/limits.ts";
import { openInside } from "./confine.ts";

const fileBytes = 32 * MiB;

/** The file's bytes. Throws if it contains NUL or is too large. */
export async function readWhole(root: string, path: string): Promise<Buffer> {
  const file = await openInside(root, path);
  try {
    const { size } = await file.stat();
    if (size > fileBytes)
      throw new Error(`${path} is ${size} bytes long, more than the limit of ${fileBytes}; use bash`);
    const buffer = Buffer.alloc(size);
    const { bytesRead } = await file.read(buffer, 0, size, 0);
    const content = buffer.subarray(0, bytesRead);
    if (content.includes(0)) throw new Error(`${path} is not a text file`);
    return content;
  } finally {
    await file.close();
  }
}
