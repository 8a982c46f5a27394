import { StorageError, type EventLog } from '@varve/storage';

/**
 * A log that aborts `lost`, with the error as the reason, when an append finds that somebody else took the lease: nothing
 * that is done after it could be stored.
 */
export function watchedLog(log: EventLog, lost: AbortController): EventLog {
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
