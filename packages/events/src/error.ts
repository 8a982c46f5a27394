/** What can be wrong with a record: not JSON at all, not an object with a `kind`, or fields that break the kind's schema. */
export type EventErrorCode = 'not-json' | 'not-an-event' | 'invalid';

/** Raised when a record cannot be made or read. The message names the kind and the field, never the whole value. */
export class EventError extends Error {
  override readonly name = 'EventError';
  readonly code: EventErrorCode;

  constructor(code: EventErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
