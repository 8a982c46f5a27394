import type { ExitCode } from './exit-codes.ts';

/** An error that the user can fix. The message is shown; `hint` is the next thing to do. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  readonly hint: string | undefined;

  constructor(exitCode: ExitCode, message: string, hint?: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
    this.hint = hint;
  }
}
