import { CodedError } from '@varve/text';
import type * as z from 'zod';

/** Failures that the caller of a tool can handle. Failures that the model can answer are observations instead. */
export type ToolErrorCode =
  /** The arguments do not match the tool's input schema; the message names fields and reasons, never values. */
  | 'invalid-input'
  /** The call was cancelled by its signal before it had a result. */
  | 'aborted'
  /** The tool cannot work here: a missing program, a workspace that is not a directory. */
  | 'unusable'
  /** The tool was closed. */
  | 'closed';

/** The one error class of this package. */
export class ToolError extends CodedError<ToolErrorCode> {
  override readonly name = 'ToolError';
}

/** Returns the `invalid-input` error of a tool whose arguments failed validation; the message has no values. */
export function invalidArguments(tool: string, error: z.ZodError): ToolError {
  const reasons = error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '));
  return invalidInput(tool, reasons, { cause: error });
}

/** Returns the `invalid-input` error of a tool for reasons without values. */
export function invalidInput(tool: string, reasons: readonly string[], options?: ErrorOptions): ToolError {
  return new ToolError('invalid-input', `The arguments of ${tool} are not valid. ${reasons.join('; ')}.`, options);
}
