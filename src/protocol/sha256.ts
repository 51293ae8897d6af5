/** Bun's own hash: loading `node:crypto` would cost every worker 10 ms of its start. */
export function sha256(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}
