/** Reasons why a server cannot start. */
export type ServerErrorCode =
  /** An invalid option: no key, a key that a header cannot contain, an invalid origin. */
  | 'invalid'
  /** Other machines could reach the server, and no key was configured. */
  | 'key-needed'
  /** Listening on the address failed. */
  | 'address';

/** The one error class of this package. The message is one sentence that names the thing and the value, never a key. */
export class ServerError extends Error {
  override readonly name = 'ServerError';
  readonly code: ServerErrorCode;

  constructor(code: ServerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
