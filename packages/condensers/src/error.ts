import { CodedError } from '@varve/text';

/**
 * Errors of condensers: invalid options, specs or views; an aborted condensation; a model whose reply cannot be used,
 * such as an empty summary.
 */
export type CondenserErrorCode = 'invalid' | 'aborted' | 'failed';

/** Thrown by condensers. The message names the option, the aborted operation or the fault of the reply. */
export class CondenserError extends CodedError<CondenserErrorCode> {
  override readonly name = 'CondenserError';
}
