/** SHA-256 in hexadecimal. Uses Bun's hasher: loading `node:crypto` would slow down every worker's start by 10 ms. */
export function sha256(content: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(content).digest("hex");
}
