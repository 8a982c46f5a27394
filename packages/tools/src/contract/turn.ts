import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Lets the event loop run its other work, such as the renewal of a lease, before long work continues.
 *
 * @throws the reason of the signal when it has aborted.
 */
export async function turn(signal: AbortSignal): Promise<void> {
  await nextTurn();
  signal.throwIfAborted();
}
