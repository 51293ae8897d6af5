import { describe, expect, test } from "bun:test";
import { createEventParser, readEvents } from "./sse.ts";

function parseInPieces(stream: string, pieceLength: number) {
  const parse = createEventParser();
  const events = [];
  for (let start = 0; start < stream.length; start += pieceLength) {
    events.push(...parse(stream.slice(start, start + pieceLength)));
  }
  return events;
}

describe("server-sent events", () => {
  const stream = ': open\n\nid: 7\nevent: message\ndata: {"a":1}\n\ndata: first\ndata: second\n\n';
  const expected = [
    { id: "7", data: '{"a":1}' },
    { id: undefined, data: "first\nsecond" },
  ];

  test.each([1, 2, 3, 5, 7, 1_000])("are the same however the stream is split, every %p characters", (length) => {
    expect(parseInPieces(stream, length)).toEqual(expected);
  });

  test.each([1, 2, 3, 1_000])("can have CR LF line endings, split every %p characters", (length) => {
    expect(parseInPieces(stream.replaceAll("\n", "\r\n"), length)).toEqual(expected);
  });

  test("are complete only after the empty line that ends them", () => {
    const parse = createEventParser();
    expect(parse("id: 1\ndata: x\n")).toEqual([]);
    expect(parse("\n")).toEqual([{ id: "1", data: "x" }]);
  });

  test("comments and unknown fields are ignored, and only one space after the colon is removed", () => {
    expect(createEventParser()(": beat\nretry: 5\ndata:  x\n\n")).toEqual([{ id: undefined, data: " x" }]);
  });

  test("an id applies only to its own event", () => {
    expect(createEventParser()("id: 1\ndata: a\n\ndata: b\n\n").map(({ id }) => id)).toEqual(["1", undefined]);
  });

  test("characters split between two chunks are decoded correctly", async () => {
    const bytes = new TextEncoder().encode("data: héllo 🚀\n\n");
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
        controller.close();
      },
    });
    const events = [];
    for await (const event of readEvents(body, 1_000)) events.push(event.data);
    expect(events).toEqual(["héllo 🚀"]);
  });

  test("a stream without data fails instead of waiting forever", async () => {
    const silent = new ReadableStream<Uint8Array>({ start: () => undefined });
    await expect(readEvents(silent, 20).next()).rejects.toThrow("no data for");
  });
});
