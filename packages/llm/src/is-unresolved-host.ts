/** Returns true for an error that was caused by a host name without an address, or by a failed DNS query. */
export function isUnresolvedHost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isDnsCode = 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN');
  return isDnsCode || isUnresolvedHost(error.cause);
}
