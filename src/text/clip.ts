/** Shortens text and output, in bounded memory, and shows how much was left out. */

/** The first `maxChars` of a text, for a message or an event. */
export function clip(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, maxChars)}… (${text.length - maxChars} more characters)`;
}

export type Collector = {
  push(chunk: Uint8Array): void;
  /** All of the output, or its head and tail with a mark between them. */
  text(): string;
};

/** Keeps the first `headBytes` and the last `tailBytes` of a stream. */
export function createCollector(headBytes: number, tailBytes: number): Collector {
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  let leftOut = 0;

  return {
    push(chunk) {
      const room = headBytes - head.length;
      if (room > 0) head = Buffer.concat([head, chunk.subarray(0, room)]);
      if (chunk.length <= room) return;
      tail = Buffer.concat([tail, chunk.subarray(Math.max(room, 0))]);
      // Cut only occasionally: copying the whole tail for each small chunk would be slow.
      if (tail.length > 2 * tailBytes) cutTail();
    },
    text() {
      if (tail.length > tailBytes) cutTail();
      if (leftOut === 0) return Buffer.concat([head, tail]).toString("utf8");
      const mark = `[… ${leftOut} bytes left out …]`;
      return headBytes === 0 ? `${mark}${tail}` : `${head}\n${mark}\n${tail}`;
    },
  };

  function cutTail(): void {
    const excess = tail.length - tailBytes;
    leftOut += excess;
    tail = Buffer.from(tail.subarray(excess));
  }
}
