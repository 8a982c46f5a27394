/** Why a server cannot serve. */
export type ServerErrorCode =
  /** An option no server can work with: no key, a key no header can carry, an origin that is none. */
  | 'invalid'
  /** Other machines could reach it, and nobody chose a key. */
  | 'key-needed'
  /** The address cannot be listened at. */
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
