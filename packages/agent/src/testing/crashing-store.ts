import type { EventStore } from '@varve/storage';
import { aroundAppends } from './around-appends.ts';

/** What a process that dies at a given append leaves behind. */
export interface CrashOptions {
  /** Which append is the last: 1 is the first one of the store. */
  readonly at: number;
  /** Whether that append still reaches the disk before the process dies. */
  readonly stored: boolean;
}

/** Thrown by whatever changes the store from the crash on. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

/**
 * A store whose process "dies" at one append: from then on nothing is stored or removed, and who tries gets a {@link Crash}. Reading
 * goes on, so that a test can look at what is left and open it with the store inside, as a new process would.
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
  return {
    ...mortal,
    create: (id, meta) => alive().then(() => mortal.create(id, meta)),
    remove: (id) => alive().then(() => mortal.remove(id)),
  };
}
