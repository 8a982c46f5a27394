import type { ProofWriter } from '../contract/log-proof.ts';
import type { EventLog } from '../contract/log.ts';
import type { SnapshotCache } from '../contract/snapshots.ts';
import { checkAppend, type CheckedAppend } from './append.ts';
import { checkLogOpen } from './checks.ts';
import { isStorageFailure } from './disk-error.ts';
import { type LogSource, readerOf } from './reader.ts';
import { memorySnapshots } from './snapshots.ts';

/** Parts of a writable log that its store provides. */
export interface LeasedLogParts {
  /** Source of the reading half; its `closed` is the signal of the controller that `leasedLog` gets. */
  readonly source: LogSource;
  readonly atomicity: EventLog['atomicity'];
  readonly epoch: number;
  /** Stores an append and returns its seqs. Appends must run in the order of the calls. */
  readonly append: (append: CheckedAppend) => readonly number[] | Promise<readonly number[]>;
  /** Wakes readers of the log. */
  readonly wake: () => void;
  /** Renews the lease, every `renewMs`; absent if leases do not expire. */
  readonly renew?: () => unknown;
  readonly renewMs?: number;
  /** Finishes pending writes while the lease is still renewed. A failure of the disk or the lease is ignored. */
  readonly drain?: () => Promise<unknown>;
  /** Releases the lease after pending appends, unless it was taken over. */
  readonly release: () => unknown;
  readonly onClose: () => void;
  /** Default: snapshots in memory. */
  readonly snapshots?: SnapshotCache;
  readonly proof?: ProofWriter;
}

/** Creates the writable log of a conversation whose lease was just taken. It aborts `closing` when it is disposed. */
export function leasedLog(closing: AbortController, parts: LeasedLogParts): EventLog {
  const { source, atomicity, epoch, append, wake, renew, renewMs, drain, release, onClose, proof } = parts;
  const checkOpen = (): void => checkLogOpen(source.id, closing.signal);
  const { snapshots = memorySnapshots(checkOpen) } = parts;
  // A lease that could not be renewed is retried; it is lost only when another holder takes it over.
  const timer = renew && setInterval(() => void ignoreFailure(renew), renewMs).unref();
  const close = async (): Promise<void> => {
    closing.abort();
    wake();
    try {
      await ignoreStorageFailure(async () => drain?.());
      clearInterval(timer);
      // A lease that could not be released expires.
      await ignoreStorageFailure(async () => release());
    } finally {
      clearInterval(timer);
      onClose();
    }
  };
  let closed: Promise<void> | undefined;
  const { proof: _, ...reader } = readerOf(source);
  return {
    ...reader,
    atomicity,
    epoch,
    snapshots,
    ...(proof && { proof }),
    async append(events, options) {
      checkOpen();
      try {
        return await append(checkAppend(events, options));
      } finally {
        // A failed append may have stored a prefix.
        wake();
      }
    },
    [Symbol.asyncDispose]: () => (closed ??= close()),
  };
}

async function ignoreFailure(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch {
    // The lease itself shows whether it is still held.
  }
}

/** Ignores failures of the disk and of the lease; rethrows bugs. */
async function ignoreStorageFailure(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isStorageFailure(error)) throw error;
  }
}
