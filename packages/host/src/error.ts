/** Reasons for which a host refuses a request. */
export type HostErrorCode =
  /** The host is being closed. */
  | 'stopping'
  /** No agent of the host has the name. */
  | 'unknown-agent';

/** A request that a host refuses. The message is one sentence that names the thing and the value. */
export class HostError extends Error {
  override readonly name = 'HostError';
  readonly code: HostErrorCode;

  constructor(code: HostErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
