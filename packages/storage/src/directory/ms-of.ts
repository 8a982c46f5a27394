/** Milliseconds of a file's time. Times we set come back up to half a microsecond early, for they pass through a double. */
export function msOf(ns: bigint): number {
  return Number((ns + 500n) / 1_000_000n);
}
