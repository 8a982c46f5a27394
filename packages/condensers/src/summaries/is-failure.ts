/** Returns true for the failure of a model or of its reply. Such errors have a code; anything else is a bug. */
export function isFailure(error: unknown): error is Error {
  return error instanceof Error && 'code' in error;
}
