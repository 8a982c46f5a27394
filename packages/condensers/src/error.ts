/**
 * Errors of condensers: invalid options, specs or views; an aborted condensation; a model whose reply cannot be used,
 * such as an empty summary.
 */
export type CondenserErrorCode = 'invalid' | 'aborted' | 'failed';

/** Thrown by condensers. The message names the option, the aborted operation or the fault of the reply. */
export class CondenserError extends Error {
  override readonly name = 'CondenserError';
  readonly code: CondenserErrorCode;

  constructor(code: CondenserErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
