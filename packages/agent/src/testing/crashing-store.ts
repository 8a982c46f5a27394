import type { AppendOptions, EventLog, EventStore, NewEvent } from '@varve/storage';

/** What a process that dies at a given append leaves behind. */
export interface CrashOptions {
  /** Which append is the last: 1 is the first one of the store. */
  readonly at: number;
  /** Whether that append still reaches the disk before the process dies. */
  readonly stored: boolean;
}

/** Thrown by every append from the crash on. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

/**
 * A store whose process "dies" at one append: from then on nothing is stored and every append throws {@link Crash}. Reading
 * goes on, so that a test can look at what is left and open it with the store inside, as a new process would.
 */
export function crashingStore(store: EventStore, { at, stored }: CrashOptions): EventStore {
  let count = 0;
  const append = async (log: EventLog, events: readonly NewEvent[], options?: AppendOptions) => {
    count += 1;
    if (count > at || (count === at && !stored)) throw new Crash(`Crashed at append ${count}.`);
    const seqs = await log.append(events, options);
    if (count === at) throw new Crash(`Crashed after append ${count}.`);
    return seqs;
  };
  const wrap = (log: EventLog): EventLog => ({
    id: log.id,
    atomicity: log.atomicity,
    epoch: log.epoch,
    snapshots: log.snapshots,
    head: () => log.head(),
    range: (from, to) => log.range(from, to),
    at: (seq) => log.at(seq),
    seqOf: (id) => log.seqOf(id),
    tail: (from, signal) => log.tail(from, signal),
    append: (events, options) => append(log, events, options),
    [Symbol.asyncDispose]: () => log[Symbol.asyncDispose](),
  });
  return {
    create: async (id, meta) => wrap(await store.create(id, meta)),
    open: async (id) => wrap(await store.open(id)),
    read: (id) => store.read(id),
    list: (query) => store.list(query),
    summary: (id) => store.summary(id),
    remove: (id) => store.remove(id),
    // The store inside outlives the crash: it is the disk.
    [Symbol.asyncDispose]: async () => {},
  };
}
