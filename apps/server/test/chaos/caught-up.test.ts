import { expect, test, vi } from 'vitest';
import type { SeenEvent } from '../follow-events.ts';
import { caughtUp } from './caught-up.ts';

const until = async () => new Promise<never>(() => undefined);

/** A client that has one event, and receives more when the test adds them. */
function client() {
  const events: SeenEvent[] = [{ seq: 0, id: 'e0', at: 0 }];
  const stop = vi.fn<() => void>();
  return { events, stop, until };
}

test('a client that still receives events is waited for', async () => {
  const slow = client();
  await caughtUp(slow, 'e5', async () =>
    slow.events.push({ seq: slow.events.length, id: `e${slow.events.length}`, at: 0 }),
  );
  expect(slow.events.at(-1)).toEqual({ seq: 5, id: 'e5', at: 0 });
  expect(slow.stop).toHaveBeenCalledOnce();
});

test('a client that receives nothing is not waited for again', async () => {
  const stuck = client();
  const silence = vi.fn<() => Promise<void>>().mockResolvedValue();
  await caughtUp(stuck, 'e5', silence);
  expect(silence).toHaveBeenCalledOnce();
  expect(stuck.stop).toHaveBeenCalledOnce();
});
