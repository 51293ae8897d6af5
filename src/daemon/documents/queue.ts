/** Work done one after the other, in the order it was asked for; a failure concerns only whoever asked. */
export type Queue = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
}
