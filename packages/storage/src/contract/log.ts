import type { Json } from '@varve/events';
import type { ProofWriter } from './log-proof.ts';
import type { LogReader } from './log-reader.ts';
import type { SnapshotCache } from './snapshots.ts';
import type { Signer, Statement } from './statement.ts';

/**
 * An event to append: its exact text, and the fields of it that stores index. The text is a JSON object with the same
 * values (`id`, `kind`, `parent_id`), so a store that keeps only texts may read the fields back from there.
 */
export interface NewEvent {
  /** Not empty; otherwise any text. A store that uses it as a file name has to encode it. */
  readonly id: string;
  readonly kind: string;
  readonly parentId: string | undefined;
  readonly text: string;
  /**
   * Digest to seal instead of the digest of the text, 64 hexadecimal digits. Only for the copy of an event whose text
   * was scrubbed, so that the copy has the seals of the original.
   */
  readonly digest?: string;
}

/** Options of `EventLog.append`. */
export interface AppendOptions {
  /** Append only if the log has exactly this many events: an integer of 0 or more. */
  readonly expectedHead?: number;
  /** Replaces the summary's `meta` atomically with the append. */
  readonly meta?: Json;
  /**
   * Signs the seal of each stored event atomically with the append. Without events it signs the seal of the last event
   * in the log: a checkpoint. Stores without proof ignore it.
   */
  readonly signer?: Signer;
  /**
   * Statements to store unchanged, atomically with the append: for copies of statements made about the same log in
   * another store. Stores without proof ignore them.
   *
   * @throws {StorageError} `invalid` for a malformed statement.
   */
  readonly statements?: readonly Statement[];
}

/**
 * A writable log: appends to one conversation under its lease. The log holds the lease until it is disposed, and renews
 * it by itself. Appends run in the order of their calls.
 */
export interface EventLog extends LogReader, AsyncDisposable {
  /**
   * Atomicity of an append of several events: SQL stores keep all or none; directories may keep a prefix, never a hole.
   */
  readonly atomicity: 'all' | 'prefix';
  /**
   * Number of the lease, which increases each time the lease is taken: a holder with a lower epoch than the current one
   * is `fenced`. Starts at 1, and again at 1 when a removed id is created again; a holder from before is `fenced` in
   * that case too, whatever its epoch.
   */
  readonly epoch: number;
  /**
   * Appends events. Resolves with one seq per event, in order, when all are durable (or, in a store opened as
   * `buffered`, written). Events and options are copied when `append` is called.
   *
   * An event whose id is in the log with the same `text` is not stored again and its old seq is returned, so an append
   * whose answer was lost can be sent again. `expectedHead` is then compared with the head without those events. If all
   * events are stored already, the append succeeds whatever `expectedHead` is, and sets `meta`. An append without
   * events only compares `expectedHead` and sets `meta`.
   *
   * @throws {StorageError} `closed`, `fenced` even if nothing would be stored, `duplicate`, `conflict`, `full`, `io`;
   * `invalid` for an empty id, a malformed `digest`, an id, kind, parent or text with half a surrogate pair or a NUL
   * (JSON escapes both), an `expectedHead` that is not an integer of 0 or more, or a `meta` that `JSON.stringify`
   * cannot represent. After any of them no event of the append is stored (`atomicity: 'all'`) or a prefix is, and
   * `meta` is unchanged.
   */
  append(events: readonly NewEvent[], options?: AppendOptions): Promise<readonly number[]>;
  readonly snapshots: SnapshotCache;
  readonly proof?: ProofWriter;
  /**
   * Waits for pending appends, then releases the lease, unless it was taken over. Later appends and reads are `closed`.
   * Idempotent.
   */
  [Symbol.asyncDispose](): Promise<void>;
}
