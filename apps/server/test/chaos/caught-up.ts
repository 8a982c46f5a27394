import type { Followed } from '../follow-events.ts';

/**
 * Waits until a client has received the last event, however long that takes while it receives any, and disconnects it.
 * `silence` resolves after the time without an event after which it counts as one that receives no more.
 */
export async function caughtUp(
  followed: Followed,
  last: string | undefined,
  silence: () => Promise<unknown>,
): Promise<void> {
  const isOver = (): boolean => followed.events.at(-1)?.id === last;
  const over = followed.until(isOver);
  for (let count = -1; !isOver() && followed.events.length > count;) {
    count = followed.events.length;
    await Promise.race([over, silence()]);
  }
  followed.stop();
}
