import type { Stored } from '../contract/log-reader.ts';
import type { LogProof } from '../contract/log-proof.ts';
import type { Wakeup } from './wakeups.ts';

/** What a store gives of one log, so that `readerOf` can read it. */
export interface LogSource {
  readonly id: string;
  /** @throws {StorageError} `missing` when the conversation was removed, `closed`, `io`. */
  head(): Promise<number>;
  /** Some of the events `from` to `to` (exclusive, at most the head), oldest first, and at least one if there is one. */
  page(from: number, to: number): Promise<readonly Stored[]>;
  seqOf(id: string): Promise<number | undefined>;
  /** Listens for appends. */
  arm(): Wakeup;
  /** Aborts when the log or the store is disposed; armed wakeups fire then. */
  readonly closed: AbortSignal;
  readonly proof?: LogProof;
}
