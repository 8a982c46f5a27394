import { setImmediate } from 'node:timers/promises';
import { StorageError } from '../contract/error.ts';
import type { LogProof } from '../contract/log-proof.ts';
import type { LogSource } from '../kit/reader.ts';
import type { Wakeups } from '../kit/wakeups.ts';
import { diskError } from './disk-error.ts';
import type { EventIndex } from './event-index.ts';
import type { StoredProof } from './seals.ts';

/** What the readers of one conversation share. */
export interface SharedLog {
  readonly id: string;
  readonly index: EventIndex;
  readonly wake: Wakeups;
  /** Reads what is kept beside the log now. */
  readonly readProof: () => StoredProof;
  /** Reads what lies in quarantine now, one file after the other. */
  readonly quarantine: () => Iterable<string>;
}

/** Reads a log until `closed` aborts. */
export function directorySource(
  { id, index, wake, readProof: kept, quarantine }: SharedLog,
  closed: AbortSignal,
): LogSource & { readonly proof: LogProof } {
  const read = async <T>(work: () => T): Promise<T> => {
    if (closed.aborted) throw new StorageError('closed', `The log of conversation ${id} is closed.`);
    try {
      return work();
    } catch (error) {
      throw diskError(error);
    }
  };
  const look = async <T>(work: () => T): Promise<T> =>
    read(() => {
      index.refresh();
      return work();
    });
  return {
    id,
    head: async () => look(() => index.head),
    async page(from, to) {
      const page = await read(() => index.page(from, to));
      // Reading is synchronous: between pages, others have their turn.
      if (page.length < to - from) await setImmediate();
      return page;
    },
    seqOf: async (eventId) => look(() => index.seqOf(eventId)),
    arm: () => wake.arm(id),
    closed,
    proof: {
      async *quarantine() {
        const texts = quarantine()[Symbol.iterator]();
        for (;;) {
          const next = await look(() => texts.next());
          if (next.done === true) return;
          yield next.value;
        }
      },
      page: async (from, to) => look(() => kept().events.filter(({ seq }) => seq >= from && seq < to)),
      end: async () =>
        look(() => {
          const { last } = kept();
          return last && { head: last.seq + 1, seal: last.seal };
        }),
    },
  };
}
