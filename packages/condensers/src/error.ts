/** What a caller of a condenser can answer: options that make no sense, work that was called off. */
export type CondenserErrorCode = 'invalid' | 'aborted';

/** Raised by condensers. The message names the option or what was called off. */
export class CondenserError extends Error {
  override readonly name = 'CondenserError';
  readonly code: CondenserErrorCode;

  constructor(code: CondenserErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
