import { resultCode, resultCodes } from './result-code.ts';

/** SQLite says `protocol` when it has tried for seconds: the process that had the lock was stopped meanwhile, for instance. */
const codes = new Set<number | undefined>([resultCodes.busy, resultCodes.locked, resultCodes.protocol]);

/** Whether another connection has what this one needs. */
export function isBusy(error: unknown): boolean {
  return codes.has(resultCode(error));
}
