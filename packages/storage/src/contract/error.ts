/** Failure codes of a store, and whether the same call may succeed later without anyone changing anything. */
const retryable = {
  /** No conversation of this id. */
  missing: false,
  /** `create` of an id that exists. */
  exists: false,
  /** Another live holder has the lease. */
  held: true,
  /** `expectedHead` was not the head. */
  conflict: false,
  /** The id is in the log already with other bytes, or twice in one append. */
  duplicate: false,
  /** This holder's lease was taken over; open again. */
  fenced: false,
  /** The disk or the store is full. */
  full: true,
  /** Reading or writing failed otherwise. */
  io: true,
  /** The log or a cursor was closed. */
  closed: false,
  /** Stored data cannot be what was written. */
  corrupt: false,
  /** An argument no store accepts: a bad id, a bad range, a bad cursor, an unknown URL scheme. */
  invalid: false,
} as const;

/** Why a store could not do what it was asked. */
export type StorageErrorCode = keyof typeof retryable;

/** The one error class of this package. The message is one sentence that names the thing and the value. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** Whether the same call may succeed later without anyone changing anything. */
  get isRetryable(): boolean {
    return retryable[this.code];
  }
}
