import { retentionOf } from './old-events.ts';
import { redactor } from '@varve/text';
import { expect, test } from 'vitest';
import { memoryEvents } from './bash-event-store.ts';
import { bashService } from './bash-service.ts';

const request = { cwd: null, timeout: 60 };

test('a subscriber receives stored events in order until it unsubscribes', async () => {
  const store = memoryEvents();
  await using service = bashService({
    store,
    env: process.env,
    redactor: redactor([], { replacement: '' }),
    retention: { maxEvents: 100 },
    root: '/',
    now: () => 0,
    onError: () => {},
  });
  const seen: string[] = [];
  const subscription = await service.subscribe((event) => seen.push(event.kind));
  const { command, ended } = await service.start({ ...request, command: 'true' });
  await ended;
  subscription[Symbol.dispose]();
  await (
    await service.start({ ...request, command: 'true' })
  ).ended;
  expect(seen).toEqual(['BashCommand', 'BashOutput']);
  expect((await store.names())[0]).toBe(`19700101000000001000_BashCommand_${command.id}`.replace('001000', '000001'));
});

test('a command ends when its output cannot be stored, and the failure is reported', async () => {
  const store = memoryEvents();
  const errors: unknown[] = [];
  const add: typeof store.add = async (name, text) => {
    if (name.includes('Output')) throw new Error('disk full');
    await store.add(name, text);
  };
  await using service = bashService({
    store: { ...store, add },
    root: '/',
    env: process.env,
    redactor: redactor([], { replacement: '' }),
    retention: { maxEvents: 100 },
    now: () => 0,
    onError: (error) => errors.push(error),
  });
  const { ended } = await service.start({ ...request, command: 'yes' });
  await expect(ended).rejects.toThrow('disk full');
  expect(errors).toHaveLength(1);
});

test('events beyond the age and the number are removed, once per minute at most', async () => {
  let now = 1_000_000;
  const store = memoryEvents();
  await using service = bashService({
    store,
    env: process.env,
    redactor: redactor([], { replacement: '' }),
    retention: { maxAgeMs: 100_000, maxEvents: 4 },
    root: '/',
    now: () => now,
    onError: () => {},
  });
  const run = async (): Promise<number> => {
    await (
      await service.start({ command: 'true', cwd: null, timeout: 5 })
    ).ended;
    return (await store.names()).length;
  };
  expect(await run()).toBe(2);
  now += 30_000;
  expect([await run(), await run()]).toEqual([4, 6]);
  now += 40_000;
  // Two of six are too many.
  expect(await run()).toBe(6);
  now += 80_000;
  // Those of the second minute are too old.
  expect(await run()).toBe(4);
});

test('the age of the environment is a number of seconds', () => {
  expect(retentionOf({ OH_BASH_EVENTS_RETENTION_SECONDS: '60' })).toEqual({ maxAgeMs: 60_000, maxEvents: 10_000 });
  expect(retentionOf({})).toEqual({ maxEvents: 10_000 });
  expect(() => retentionOf({ OH_BASH_EVENTS_RETENTION_SECONDS: '-1' })).toThrow('not a number above 0');
});
