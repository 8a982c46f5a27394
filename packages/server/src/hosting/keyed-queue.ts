/** Returns a function that executes the tasks of each id one after another, in the order in which they are added. */
export function keyedQueue(): <Result>(id: string, task: () => Promise<Result>) => Promise<Result> {
  const last = new Map<string, Promise<unknown>>();
  return (id, task) => {
    const done = (last.get(id) ?? Promise.resolve()).then(task);
    const settled = done.catch(() => undefined);
    last.set(id, settled);
    void settled.then(() => last.get(id) === settled && last.delete(id));
    return done;
  };
}
