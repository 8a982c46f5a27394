import type { AppendOptions, EventLog, EventStore, NewEvent } from '@varve/storage';

/** Executes an append, or not. */
type Around = (append: () => Promise<readonly number[]>) => Promise<readonly number[]>;

/**
 * Wraps a store so that every append passes through `around`. Disposing the wrapper leaves the inner store open: it is
 * the disk.
 */
export function aroundAppends(store: EventStore, around: Around): EventStore {
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
    append: (events: readonly NewEvent[], options?: AppendOptions) => around(() => log.append(events, options)),
    [Symbol.asyncDispose]: () => log[Symbol.asyncDispose](),
  });
  return {
    create: async (...args) => wrap(await store.create(...args)),
    open: async (id) => wrap(await store.open(id)),
    read: (id) => store.read(id),
    list: (query) => store.list(query),
    count: (query) => store.count(query),
    summary: (id) => store.summary(id),
    remove: (id, options) => store.remove(id, options),
    [Symbol.asyncDispose]: async () => {},
  };
}
