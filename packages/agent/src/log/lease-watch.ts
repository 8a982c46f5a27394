import { StorageError, type EventLog } from '@varve/storage';

/**
 * Wraps a log so that an append which finds that another process took the lease aborts `lost`, with the error as the
 * reason: nothing that is done afterwards could be stored.
 */
export function watchLease(log: EventLog, lost: AbortController): EventLog {
  const { id, atomicity, epoch, snapshots, proof } = log;
  return {
    id,
    atomicity,
    epoch,
    snapshots,
    ...(proof && { proof }),
    head: () => log.head(),
    range: (from, to) => log.range(from, to),
    at: (seq) => log.at(seq),
    seqOf: (eventId) => log.seqOf(eventId),
    tail: (from, signal) => log.tail(from, signal),
    append: async (events, options) => {
      try {
        return await log.append(events, options);
      } catch (error) {
        if (error instanceof StorageError && error.code === 'fenced') lost.abort(error);
        throw error;
      }
    },
    [Symbol.asyncDispose]: () => log[Symbol.asyncDispose](),
  };
}
