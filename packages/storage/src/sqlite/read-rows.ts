import type { SQLOutputValue } from 'node:sqlite';

type Row = Readonly<Record<string, SQLOutputValue>>;

/** Runs statements that only read, while the log is open. */
export type Read = <T>(work: () => T) => Promise<T>;

/** Yields rows, each read by itself: the one that `next` returns for 0, then the one after the `number` of the last. */
export async function* readRows(next: (after: number) => Row | undefined, read: Read): AsyncGenerator<Row> {
  for (let number = 0; ;) {
    const after = number;
    const row = await read(() => next(after));
    if (!row) return;
    yield row;
    number = Number(row['number']);
  }
}
