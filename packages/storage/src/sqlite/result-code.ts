/** The primary result codes of SQLite that a caller can answer. @see https://www.sqlite.org/rescode.html */
export const resultCodes = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  protocol: 15,
  tooBig: 18,
  notADatabase: 26,
} as const;

/** The primary result code of an error that SQLite raised. */
export function resultCode(error: unknown): number | undefined {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  // The low byte is the primary code, the rest says more.
  return typeof code === 'number' ? code & 0xff : undefined;
}
