import type { EventStore } from '@varve/storage';
import { wrapStore } from '@varve/storage/kit';

/** Executes an append, or not. */
type Around = (append: () => Promise<readonly number[]>) => Promise<readonly number[]>;

/**
 * Wraps a store so that every append passes through `around`. Disposing the wrapper leaves the inner store open: it is
 * the disk.
 */
export function aroundAppends(store: EventStore, around: Around): EventStore {
  return wrapStore(store, {
    log: (log) => ({ append: (...args) => around(() => log.append(...args)) }),
    [Symbol.asyncDispose]: async () => {},
  });
}
