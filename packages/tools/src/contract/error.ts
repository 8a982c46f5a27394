/** What a caller of a tool can act on. Everything else a tool meets is an observation, because the model can answer it. */
export type ToolErrorCode =
  /** The arguments do not fit the tool's input schema; the message names fields and reasons, never values. */
  | 'invalid-input'
  /** The call was cancelled through its signal before it had a result. */
  | 'aborted'
  /** The tool cannot work here: a missing program, a workspace that is not a directory. */
  | 'unusable'
  /** The tool was closed. */
  | 'closed';

/** The one error class of this package. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly code: ToolErrorCode;

  constructor(code: ToolErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
