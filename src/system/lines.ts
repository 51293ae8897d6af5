/** The framing of the pipe between daemon and worker: lines of limited length. */

export class LineTooLong extends Error {
  constructor(maxBytes: number) {
    super(`a line of more than ${maxBytes} bytes`);
    this.name = "LineTooLong";
  }
}

export type LineSplitter = {
  /** The lines that this chunk completes, without their newlines. Throws `LineTooLong`. */
  push(chunk: Uint8Array): string[];
  /** The text since the last newline. */
  rest(): string;
};

const newline = 10;

/** Splits a stream of chunks into lines. Buffers at most `maxBytes` of an unfinished line. */
export function createLineSplitter(maxBytes: number): LineSplitter {
  let pieces: Uint8Array[] = [];
  let size = 0;

  const take = (piece: Uint8Array): void => {
    if (size + piece.length > maxBytes) throw new LineTooLong(maxBytes);
    if (piece.length > 0) pieces.push(piece);
    size += piece.length;
  };
  const text = (): string => Buffer.concat(pieces).toString("utf8");

  return {
    push(chunk) {
      const lines: string[] = [];
      let start = 0;
      for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
        take(chunk.subarray(start, end));
        lines.push(text());
        pieces = [];
        size = 0;
        start = end + 1;
      }
      take(chunk.subarray(start));
      return lines;
    },
    rest: text,
  };
}
