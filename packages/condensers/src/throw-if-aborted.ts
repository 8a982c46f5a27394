import { CondenserError } from './error.ts';

/** @throws {CondenserError} `aborted` if the signal is aborted; its `cause` is the signal's reason. */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new CondenserError('aborted', 'The condensation was aborted.', { cause: signal.reason });
}
