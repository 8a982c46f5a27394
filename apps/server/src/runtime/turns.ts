/** Returns a function that does the work of one id after the work of that id before. */
export function turns(): <Result>(id: string, work: () => Promise<Result>) => Promise<Result> {
  const last = new Map<string, Promise<unknown>>();
  return (id, work) => {
    const done = (last.get(id) ?? Promise.resolve()).then(work);
    const settled = done.catch(() => undefined);
    last.set(id, settled);
    void settled.then(() => last.get(id) === settled && last.delete(id));
    return done;
  };
}
