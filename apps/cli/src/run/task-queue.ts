/** Runs work one piece after the other, in the order of the calls. */
export type TaskQueue = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates a queue. Work that fails does not stop the work after it. */
export function taskQueue(): TaskQueue {
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}
