import { setImmediate } from 'node:timers/promises';
import { StorageError } from '../contract/error.ts';
import type { LogLoss } from '../contract/loss.ts';
import type { LogProof } from '../contract/log-proof.ts';
import type { LogReader, Stored } from '../contract/log-reader.ts';
import { checkBound } from './checks.ts';
import type { Wakeup } from './wakeups.ts';

/** Access of a store to one of its logs, from which `readerOf` makes a `LogReader`. */
export interface LogSource {
  readonly id: string;
  /** Returns the number of events. @throws {StorageError} `missing` if the conversation was removed, `closed`, `io`. */
  head(): Promise<number>;
  /**
   * Returns events `from` to `to` (exclusive, at most the head), oldest first; perhaps not all, but one if there is
   * any.
   */
  page(from: number, to: number): Promise<readonly Stored[]>;
  /** Returns the seq of the event with this id, or `undefined`. */
  seqOf(id: string): Promise<number | undefined>;
  /** Starts to listen for appends. */
  arm(): Wakeup;
  /** Aborts when the log or the store is disposed; armed wakeups fire then. */
  readonly closed: AbortSignal;
  /** @see LogReader.loss */
  readonly loss?: () => Promise<LogLoss | undefined>;
  readonly proof?: LogProof;
}

/**
 * Reads a log page by page: checks bounds, detects gaps and follows the log. Nothing is locked between two pages, and
 * long reads are interrupted for the other work of the event loop.
 */
export function readerOf(source: LogSource): LogReader {
  return {
    id: source.id,
    head: async () => source.head(),
    range: (from, to) => range(source, from, to),
    async at(seq) {
      checkBound('seq', seq);
      const [event] = seq < (await source.head()) ? await source.page(seq, seq + 1) : [];
      if (!event) throw new StorageError('missing', `Conversation ${source.id} has no event ${seq}.`);
      return event;
    },
    async seqOf(id) {
      const seq = await source.seqOf(id);
      // A removed conversation has no events either: `head` rejects with `missing` then.
      if (seq === undefined) await source.head();
      return seq;
    },
    tail: (from, signal) => tail(source, from, signal),
    ...(source.loss && { loss: source.loss }),
    ...(source.proof && { proof: source.proof }),
  };
}

async function* range(source: LogSource, from: number, to: number | undefined): AsyncGenerator<Stored> {
  checkBound('start', from);
  if (to !== undefined) checkBound('end', to);
  const head = await source.head();
  yield* events(source, from, Math.min(to ?? head, head));
}

/** Time after which other work of the event loop runs, for instance the renewal of leases. */
const maxSliceMs = 20;

async function* events(source: LogSource, from: number, to: number): AsyncGenerator<Stored> {
  let next = from;
  let sliceStart = performance.now();
  while (next < to) {
    const page = await source.page(next, to);
    if (page.length === 0) {
      // A removed conversation has no events either: `head` rejects with `missing` then.
      await source.head();
      throw gap(source, next);
    }
    for (const event of page) {
      if (event.seq !== next) throw gap(source, next);
      yield event;
      next += 1;
      // Pages may be read without waiting, and what the caller does with an event may take long.
      if (performance.now() - sliceStart < maxSliceMs) continue;
      await setImmediate();
      sliceStart = performance.now();
    }
  }
}

function gap(source: LogSource, seq: number): StorageError {
  return new StorageError('corrupt', `Event ${seq} of conversation ${source.id} is lost.`);
}

async function* tail(source: LogSource, from: number, signal: AbortSignal): AsyncGenerator<Stored> {
  checkBound('start', from);
  let next = from;
  try {
    for (;;) {
      const head = await headAbove(source, next, signal);
      if (head === undefined) return;
      for await (const event of events(source, next, head)) {
        if (signal.aborted) return;
        yield event;
      }
      next = head;
    }
  } catch (error) {
    if (!source.closed.aborted) throw error;
  }
}

/** Waits for a head above `next` and returns it; `undefined` if the signal aborts or the source closes first. */
async function headAbove(source: LogSource, next: number, signal: AbortSignal): Promise<number | undefined> {
  while (!signal.aborted && !source.closed.aborted) {
    // Armed before reading, so that an append between the read and the wait still wakes this reader.
    const wakeup = source.arm();
    try {
      const head = await source.head();
      if (head > next) return head;
      await wakeup.fired(signal);
    } finally {
      wakeup.disarm();
    }
  }
  return undefined;
}
