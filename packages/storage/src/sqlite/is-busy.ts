import { resultCode, resultCodes } from './result-code.ts';

/** Whether another connection has what this one needs. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === resultCodes.busy || code === resultCodes.locked;
}
