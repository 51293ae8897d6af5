/** Bun's own hash: loading `node:crypto` would cost every worker 10 ms of its start. */
export function sha256(content: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(content).digest("hex");
}
