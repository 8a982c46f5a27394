import type { SealedEnd } from '../contract/log-proof.ts';
import type { EventLog } from '../contract/log.ts';
import { checkBound, checkLogOpen } from '../kit/checks.ts';
import { withStorageErrors } from '../kit/disk-error.ts';
import { leasedLog } from '../kit/leased-log.ts';
import { Appender } from './appender.ts';
import type { EventWriterOptions } from './event-writer.ts';
import { MetaFiles } from './meta-files.ts';
import { maskQuarantine } from './quarantine.ts';
import { acceptUnsealed, replaceTexts } from './rewrite-log.ts';
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
  const writing = { ...options, metaFiles: new MetaFiles(options) };
  const appender = new Appender(writing);
  const checkOpen = (): void => checkLogOpen(id, closing.signal);
  const wake = (): void => shared.wake.fire(id);
  const run = async <T>(operation: () => Promise<T>): Promise<T> => {
    checkOpen();
    return withStorageErrors(async () => appender.run(operation));
  };
  let sealed: SealedEnd | undefined;
  return leasedLog(closing, {
    source,
    atomicity: 'prefix',
    epoch: lease.epoch,
    snapshots: directorySnapshots({ ...options, checkOpen }),
    proof: {
      ...source.proof,
      async cut(seq) {
        checkOpen();
        checkBound('cut', seq);
        return withStorageErrors(async () => appender.cut(seq).finally(wake));
      },
      acceptUnsealed: async () => run(async () => acceptUnsealed(writing)),
      replace: async (replacements) => run(async () => replaceTexts(writing, replacements)),
      maskQuarantine: async (mask) => run(async () => maskQuarantine(writing, mask)),
    },
    append: async (checked) => withStorageErrors(async () => appender.append(checked)),
    wake,
    renew: () => lease.renew(),
    renewMs: leaseMs / 3,
    async drain() {
      sealed = await appender.drain();
    },
    release: () => lease.release(sealed),
    onClose,
  });
}
