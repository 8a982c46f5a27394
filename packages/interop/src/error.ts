import { CodedError } from '@varve/text';

/** Errors of interop: input that is not of the format, content that a format cannot hold. */
export type InteropErrorCode = 'invalid' | 'unsupported';

/** Thrown by this package. The message names the file or field and the value, without secrets. */
export class InteropError extends CodedError<InteropErrorCode> {
  override readonly name = 'InteropError';
}
