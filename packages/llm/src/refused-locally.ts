import { isLoopback } from './is-loopback.ts';

/** Whether an error comes from a connection that a port of this machine refused: nothing is running there. */
export function isRefusedLocally(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isRefusedLocally);
  const isRefused = 'code' in error && error.code === 'ECONNREFUSED' && 'address' in error;
  return isRefused ? isLoopback(String(error.address)) : isRefusedLocally(error.cause);
}
