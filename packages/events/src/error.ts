import type { z } from 'zod';

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

/** Names the kind, the first field and the reason; never the value, which may be large or secret. */
export function describeInvalid(kind: string, error: z.ZodError): string {
  const [issue] = error.issues;
  const field = issue?.path.length ? `field ${issue.path.join('.')}: ` : '';
  return `${kind} is not valid: ${field}${issue?.message ?? 'unknown problem'}.`;
}
