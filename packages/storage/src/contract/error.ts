import { CodedError } from '@varve/text';

/** Failure codes of a store. The value is true if the same call may succeed later without any change by the caller. */
const retryable = {
  /** The conversation, event or file does not exist. */
  missing: false,
  /** `create` of an id that exists. */
  exists: false,
  /** Another live holder has the lease. */
  held: true,
  /** `expectedHead` was not the head, or `expectedMeta` not the `meta`. */
  conflict: false,
  /** The id is already in the log with other bytes, or twice in one append. */
  duplicate: false,
  /** Another holder took over this lease; open the conversation again. */
  fenced: false,
  /** The disk or the store is full. */
  full: true,
  /** Reading or writing failed for another reason. */
  io: true,
  /** The log, the cursor or the store was closed. */
  closed: false,
  /** The log lost events: `LogReader.loss` describes them, and `repair` ends the log before them. */
  incomplete: false,
  /** Events that were sealed have no seals now, or others: `repair` seals them again if a person accepts that. */
  unsealed: false,
  /** Stored data is not valid. */
  corrupt: false,
  /** An argument that no store accepts: an invalid id, range or cursor, or an unknown URL scheme. */
  invalid: false,
} as const;

/** Reason why a store rejected a call. */
export type StorageErrorCode = keyof typeof retryable;

/** The one error class of this package. The message is one sentence that names the thing and the value. */
export class StorageError extends CodedError<StorageErrorCode> {
  override readonly name = 'StorageError';

  /** True if the same call may succeed later without any change by the caller. */
  get isRetryable(): boolean {
    return retryable[this.code];
  }
}

/**
 * Reports whether an error means that another process has the conversation, or removed it. After it, nothing of the
 * conversation may be removed: it may contain that process's work.
 */
export function isTakenOver(error: unknown): boolean {
  return error instanceof StorageError && ['fenced', 'held', 'missing'].includes(error.code);
}
