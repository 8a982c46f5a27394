import { StorageError } from '../contract/error.ts';
import type { EventLog } from '../contract/log.ts';
import { checkAppend } from '../kit/append.ts';
import { checkBound } from '../kit/checks.ts';
import { readerOf } from '../kit/reader.ts';
import { Appender } from './appender.ts';
import { isStorageFailure, withStorageErrors } from '../kit/disk-error.ts';
import type { EventWriterOptions } from './event-writer.ts';
import { MetaFiles } from './meta-files.ts';
import { directorySnapshots } from './snapshots.ts';
import { directorySource, type SharedLog } from './source.ts';

/** Options of `directoryLog`. */
export interface DirectoryLogOptions extends Omit<EventWriterOptions, 'metaFiles'> {
  readonly shared: SharedLog;
  readonly leaseMs: number;
  readonly onClose: () => void;
}

/** Returns the writable log of a conversation whose lease was just taken. Renews the lease until disposed. */
export function directoryLog(options: DirectoryLogOptions): EventLog {
  const { id, shared, lease, leaseMs, onClose } = options;
  const closing = new AbortController();
  const source = directorySource(shared, closing.signal);
  const appender = new Appender({ ...options, metaFiles: new MetaFiles(options) });
  const checkOpen = (): void => {
    if (closing.signal.aborted) throw new StorageError('closed', `The log of conversation ${id} is closed.`);
  };
  // A failed renewal is tried again: the lease is lost only when another process takes it over.
  const timer = setInterval(() => ignoreFailure(() => lease.renew()), leaseMs / 3).unref();
  const close = async (): Promise<void> => {
    closing.abort();
    shared.wake.fire(id);
    const sealed = await appender.drain().catch(ignoreStorageFailure);
    clearInterval(timer);
    lease.release(sealed);
    onClose();
  };
  let closed: Promise<void> | undefined;
  return {
    ...readerOf(source),
    atomicity: 'prefix',
    epoch: lease.epoch,
    snapshots: directorySnapshots({ ...options, checkOpen }),
    proof: {
      ...source.proof,
      async cut(seq) {
        checkOpen();
        checkBound('cut', seq);
        return withStorageErrors(async () => appender.cut(seq).finally(() => shared.wake.fire(id)));
      },
      async acceptUnsealed() {
        checkOpen();
        return withStorageErrors(async () => appender.acceptUnsealed());
      },
      async replace(replacements) {
        checkOpen();
        return withStorageErrors(async () => appender.replace(replacements));
      },
      async maskQuarantine(mask) {
        checkOpen();
        return withStorageErrors(async () => appender.maskQuarantine(mask));
      },
    },
    async append(events, appendOptions) {
      checkOpen();
      const { metaText, ...checked } = checkAppend(events, appendOptions);
      const append = { ...checked, meta: metaText === undefined ? undefined : JSON.parse(metaText) };
      return withStorageErrors(async () => appender.append(append).finally(() => shared.wake.fire(id)));
    },
    async [Symbol.asyncDispose]() {
      closed ??= close();
      return closed;
    },
  };
}

function ignoreFailure(work: () => void): void {
  try {
    work();
  } catch (error) {
    ignoreStorageFailure(error);
  }
}

/** Ignores failures of the disk and of the lease; rethrows bugs. */
function ignoreStorageFailure(error: unknown): undefined {
  if (!isStorageFailure(error)) throw error;
}
