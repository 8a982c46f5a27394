import { CodedError } from '@varve/text';

/** Reasons for which a host refuses a request. */
export type HostErrorCode =
  /** The host is being closed. */
  | 'stopping'
  /** As many runs wait for their turn as the host allows. */
  | 'full'
  /** No agent of the host has the name. */
  | 'unknown-agent';

/** The one error class of this package. The message is one sentence that names the thing and the value. */
export class HostError extends CodedError<HostErrorCode> {
  override readonly name = 'HostError';
}
