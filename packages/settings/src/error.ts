/** Errors of settings: invalid values, missing names, untrusted content, locked files, failed I/O. */
export type SettingsErrorCode = 'invalid' | 'missing' | 'untrusted' | 'locked' | 'io';

/** Thrown by this package. The message names the file or field and the value, without secrets. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly code: SettingsErrorCode;

  constructor(code: SettingsErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
