import type { NewEvent } from '../contract/log.ts';
import { newEvent } from './new-event.ts';

/** Events `e<from>` to `e<to - 1>`. */
export function newEvents(from: number, to: number): NewEvent[] {
  return Array.from({ length: to - from }, (_, index) => newEvent(`e${from + index}`));
}
