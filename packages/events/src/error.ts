import type * as z from 'zod';

/** Problem of a record: text that is not JSON, JSON without a `kind`, or fields that do not match the kind's schema. */
export type EventErrorCode = 'not-json' | 'not-an-event' | 'invalid';

/** Thrown if a record cannot be created or read. The message names the kind and the field, never the whole value. */
export class EventError extends Error {
  override readonly name = 'EventError';
  readonly code: EventErrorCode;

  constructor(code: EventErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Describes the first invalid field of a record, without its value, which may be large or secret. */
export function describeInvalid(kind: string, error: z.ZodError): string {
  const [issue] = error.issues;
  const field = issue?.path.length ? `field ${issue.path.join('.')}: ` : '';
  return `${kind} is not valid: ${field}${issue?.message ?? 'unknown problem'}.`;
}
