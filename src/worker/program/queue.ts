/** A queue between one producer and one consumer. The producer can wait while it is full. */

export type Queue<Item> = AsyncIterable<Item> & {
  push(item: Item, bytes: number): void;
  /** Resolves when there is room for more. */
  waitForRoom(): void | Promise<void>;
  /** Nothing more is added; queued items are still delivered. */
  close(): void;
};

/** For one consumer. When it stops reading, the producer no longer has to wait. */
export function createQueue<Item>(maxBytes: number): Queue<Item> {
  const items: { item: Item; bytes: number }[] = [];
  let bytes = 0;
  let isClosed = false;
  let changed = Promise.withResolvers<void>();
  const isFull = (): boolean => bytes > maxBytes && !isClosed;
  const notify = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };

  return {
    push(item, size) {
      if (isClosed) return;
      items.push({ item, bytes: size });
      bytes += size;
      notify();
    },
    async waitForRoom() {
      while (isFull()) await changed.promise;
    },
    close() {
      isClosed = true;
      notify();
    },
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          const next = items.shift();
          if (next) {
            bytes -= next.bytes;
            notify();
            yield next.item;
          } else if (isClosed) return;
          else await changed.promise;
        }
      } finally {
        isClosed = true;
        notify();
      }
    },
  };
}
