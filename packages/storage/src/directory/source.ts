import { setImmediate } from 'node:timers/promises';
import { StorageError } from '../contract/error.ts';
import type { LogProof, SealedOnce } from '../contract/log-proof.ts';
import type { LogLoss } from '../contract/loss.ts';
import type { LogSource } from '../kit/reader.ts';
import { type Wakeups, wakeups } from '../kit/wakeups.ts';
import { diskError } from '../kit/disk-error.ts';
import { EventIndex } from './layout/event-index.ts';
import type { Files } from './layout/files.ts';
import { readRecordedEnd } from './lease-files.ts';
import type { LogContext } from './log-context.ts';
import { type FileText, textsIn } from './quarantine.ts';
import { parseSealLines, type StoredProof } from './seals/seal-lines.ts';
import { readLoss } from './read-loss.ts';
import { sealedOnce } from './seals/sealed-once.ts';
import { savedSnapshot } from './snapshots.ts';
import { warnOnce } from './layout/warnings.ts';

/** State that the log and the readers of one conversation in one store share. */
export interface SharedLog {
  readonly id: string;
  readonly index: EventIndex;
  readonly wake: Wakeups;
  /** Reads the current seals and statements. */
  readonly readProof: () => StoredProof;
  /** Reads how much of the log was sealed once. */
  readonly readSealedOnce: () => SealedOnce | undefined;
  /** Finds the current loss of events. */
  readonly readLoss: () => LogLoss | undefined;
  /** Reads the current files in a directory of the log, one after the other; those to quarantine too. */
  readonly texts: (directory: 'quarantine' | 'snapshots') => Iterable<FileText>;
}

/** Options of `sharedLog`. */
export interface SharedLogOptions extends Pick<LogContext, 'id' | 'files' | 'paths' | 'warn'> {
  /** Interval for detecting appends of other processes. */
  readonly pollMs: number;
}

/** Creates the shared state of one conversation. Each warning is forwarded once. */
export function sharedLog({ id, files, paths, pollMs, warn }: SharedLogOptions): SharedLog {
  const index = new EventIndex({ id, files, paths, warn: warnOnce(warn) });
  const log = { files, paths, index };
  return {
    id,
    index,
    wake: wakeups((onChange) => watchEvents(files, { path: paths.events, pollMs, onChange })),
    readProof: () => parseSealLines(files.read(paths.seals)?.toString() ?? ''),
    readSealedOnce: () => sealedOnce(log, readRecordedEnd(log).sealed),
    readLoss: () => readLoss({ id, ...log }) ?? index.unreadable,
    texts: function* texts(directory) {
      yield* textsIn(files, paths[directory]);
      if (directory === 'quarantine') yield* textsIn(files, paths.events, index.namesFrom(index.head));
    },
  };
}

interface WatchOptions {
  readonly path: string;
  readonly pollMs: number;
  readonly onChange: () => void;
}

/** Calls back every `pollMs` and when the file system reports a change. */
function watchEvents(files: Files, { path, pollMs, onChange }: WatchOptions): () => void {
  const stop = files.watch(path, onChange);
  const timer = setInterval(onChange, pollMs);
  return () => {
    stop();
    clearInterval(timer);
  };
}

/** Returns the source for reading a log until `closed` aborts. */
export function directorySource(
  { id, index, wake, readProof, readSealedOnce, readLoss: loss, texts }: SharedLog,
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
  const readCurrent = async <T>(work: () => T): Promise<T> =>
    read(() => {
      index.refresh();
      return work();
    });
  async function* valuesOf<T>(
    directory: 'quarantine' | 'snapshots',
    valueOf: (file: FileText) => T,
  ): AsyncGenerator<T> {
    const remaining = texts(directory)[Symbol.iterator]();
    for (;;) {
      const next = await readCurrent(() => remaining.next());
      if (next.done === true) return;
      yield valueOf(next.value);
    }
  }
  return {
    id,
    head: async () => readCurrent(() => index.head),
    async page(from, to) {
      const page = await read(() => index.page(from, to));
      // Reading is synchronous, so other tasks run between pages.
      if (page.length < to - from) await setImmediate();
      return page;
    },
    seqOf: async (eventId) => readCurrent(() => index.seqOf(eventId)),
    loss: async () => readCurrent(loss),
    arm: () => wake.arm(id),
    closed,
    proof: {
      quarantine: () => valuesOf('quarantine', ({ text }) => text),
      snapshots: () => valuesOf('snapshots', savedSnapshot),
      sealedOnce: async () => readCurrent(readSealedOnce),
      page: async (from, to) => readCurrent(() => readProof().events.filter(({ seq }) => seq >= from && seq < to)),
      end: async () =>
        readCurrent(() => {
          const { last } = readProof();
          return last && { head: last.seq + 1, seal: last.seal };
        }),
    },
  };
}
