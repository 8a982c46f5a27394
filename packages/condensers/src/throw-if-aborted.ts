import { CondenserError } from './error.ts';

/** @throws {CondenserError} `aborted` once the signal is; its `cause` is the signal's reason. */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new CondenserError('aborted', 'Condensing was called off.', { cause: signal.reason });
}
