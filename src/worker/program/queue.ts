/** Hands things from one who makes them to one who takes them; the maker can wait until not too much is waiting. */

export type Queue<Item> = AsyncIterable<Item> & {
  push(item: Item, bytes: number): void;
  /** Resolves when there is waitForRoom for more. */
  waitForRoom(): void | Promise<void>;
  /** Nothing more comes; what is there is still given. */
  close(): void;
};

/** For one taker. When it stops taking, the maker is not held back any more. */
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
