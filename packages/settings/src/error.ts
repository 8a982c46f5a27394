import { CodedError } from '@varve/text';

/**
 * Errors of settings: invalid values, missing names, a server without the name of a model, a key that is not stored, a
 * model at another server than its conversation, untrusted content, other hooks than those of a conversation, locked
 * files, failed I/O.
 */
export type SettingsErrorCode =
  | 'invalid'
  | 'missing'
  | 'no-model'
  | 'no-key'
  | 'other-server'
  | 'untrusted'
  | 'hooks-changed'
  | 'locked'
  | 'io';

/** Thrown by this package. The message names the file or field and the value, without secrets. */
export class SettingsError extends CodedError<SettingsErrorCode> {
  override readonly name = 'SettingsError';
}
