/** Errors of condensers: invalid options, aborted condensation. */
export type CondenserErrorCode = 'invalid' | 'aborted';

/** Thrown by condensers. The message names the option or the aborted operation. */
export class CondenserError extends Error {
  override readonly name = 'CondenserError';
  readonly code: CondenserErrorCode;

  constructor(code: CondenserErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
