import { StorageError } from '../contract/error.ts';
import type { EventLog } from '../contract/log.ts';
import { checkAppend } from '../kit/append.ts';
import { checkBound } from '../kit/checks.ts';
import { errnoOf } from '../kit/errno-of.ts';
import { readerOf } from '../kit/reader.ts';
import { Appender, type AppenderOptions } from './appender.ts';
import { diskError } from './disk-error.ts';
import { MetaFiles } from './meta-files.ts';
import { directorySnapshots } from './snapshots.ts';
import { directorySource, type SharedLog } from './source.ts';

/** What a log is made of. */
export interface DirectoryLogOptions extends Omit<AppenderOptions, 'metaFiles'> {
  readonly shared: SharedLog;
  readonly leaseMs: number;
  readonly onClose: () => void;
}

/** The right to append to a conversation whose lease was just taken; renews it until disposed. */
export function directoryLog(options: DirectoryLogOptions): EventLog {
  const { id, shared, lease, leaseMs, onClose } = options;
  const closing = new AbortController();
  const source = directorySource(shared, closing.signal);
  const appender = new Appender({ ...options, metaFiles: new MetaFiles(options) });
  const checkOpen = (): void => {
    if (closing.signal.aborted) throw new StorageError('closed', `The log of conversation ${id} is closed.`);
  };
  // A lease that could not be renewed is tried again, and was lost only when somebody takes it over.
  const timer = setInterval(() => ignoring(() => lease.renew()), leaseMs / 3).unref();
  const close = async (): Promise<void> => {
    closing.abort();
    shared.wake.fire(id);
    await appender.drain().catch(ignore);
    clearInterval(timer);
    lease.release();
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
        return appender
          .cut(seq)
          .finally(() => shared.wake.fire(id))
          .catch(throwStorageError);
      },
      async replace(replacements) {
        checkOpen();
        return appender.replace(replacements).catch(throwStorageError);
      },
      async maskQuarantine(mask) {
        checkOpen();
        return appender.maskQuarantine(mask).catch(throwStorageError);
      },
    },
    async append(events, appendOptions) {
      checkOpen();
      const { metaText, ...checked } = checkAppend(events, appendOptions);
      const append = { ...checked, meta: metaText === undefined ? undefined : JSON.parse(metaText) };
      const work = appender.append(append).finally(() => shared.wake.fire(id));
      return work.catch(throwStorageError);
    },
    async [Symbol.asyncDispose]() {
      closed ??= close();
      return closed;
    },
  };
}

function throwStorageError(error: unknown): never {
  throw diskError(error);
}

function ignoring(work: () => void): void {
  try {
    work();
  } catch (error) {
    ignore(error);
  }
}

/** Passes over what a disk or another holder does; bugs come through. */
function ignore(error: unknown): void {
  if (!(error instanceof StorageError) && errnoOf(error) === undefined) throw error;
}
