/** Returns the system's name of a failed system call's error, such as `EACCES`. */
export function errnoOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'syscall' in error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
