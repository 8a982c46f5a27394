import type { EventStore } from '@varve/storage';
import { wrapStore } from '@varve/storage/kit';
import { aroundAppends } from './around-appends.ts';

/** Position of a simulated crash. */
export interface CrashOptions {
  /** Number of the last append, from 1. */
  readonly at: number;
  /** True if that append reaches the disk before the process dies. */
  readonly stored: boolean;
}

/** Error of every change of the store from the crash on. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

/**
 * Wraps a store so that its process "dies" at one append: from then on every change throws a {@link Crash}. Reading
 * still works. A test opens the inner store afterwards, as a new process would.
 */
export function crashingStore(store: EventStore, { at, stored }: CrashOptions): EventStore {
  let count = 0;
  const mortal = aroundAppends(store, async (append) => {
    count += 1;
    if (count > at || (count === at && !stored)) throw new Crash(`Crashed at append ${count}.`);
    const seqs = await append();
    if (count === at) throw new Crash(`Crashed after append ${count}.`);
    return seqs;
  });
  const alive = async (): Promise<void> => {
    if (count >= at) throw new Crash(`Crashed at append ${at}.`);
  };
  return wrapStore(mortal, {
    create: (...args) => alive().then(() => mortal.create(...args)),
    remove: (...args) => alive().then(() => mortal.remove(...args)),
  });
}
