import { redactor } from '@varve/text';
import { expect, test } from 'vitest';
import { memoryRecords } from '../../../storage/test/memory-records.ts';
import { bashService } from '../workspace/bash/bash-service.ts';
import { nameOf, type BashEvent } from '../workspace/bash/bash-event.ts';
import { sharedCommands } from './shared-commands.ts';

function command(n: number, timestamp: string): BashEvent {
  return { command: `${n}`, cwd: null, timeout: 1, id: `${n}`.padStart(32, '0'), timestamp, kind: 'BashCommand' };
}

const now = (): number => Date.parse('2026-11-21T00:01:00Z');

test('events of another replica are followed once each, also those of a slow clock', async () => {
  const records = memoryRecords();
  const ticks: (() => void)[] = [];
  const every = (_ms: number, tick: () => void): Disposable => {
    ticks.push(tick);
    return { [Symbol.dispose]: () => void ticks.pop() };
  };
  const [one, other] = [sharedCommands({ records, every, now }), sharedCommands({ records, every, now })];
  const add = async (event: BashEvent) => other.store.add(nameOf(event), JSON.stringify(event));
  const [first, second, late] = [
    command(1, '2026-11-21T00:00:59.000000Z'),
    command(2, '2026-11-21T00:01:00.000000Z'),
    command(3, '2026-11-21T00:00:30.000000Z'),
  ];
  await add(first);
  const received: BashEvent[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const following = await one.follow(
    (event) => {
      received.push(event);
      if (received.length === 2) end();
    },
    () => {},
  );
  await add(second);
  for (const tick of ticks) tick();
  await expect.poll(() => received).toEqual([second]);
  await add(late);
  for (const tick of ticks) tick();
  await ended;
  expect(received).toEqual([second, late]);
  following[Symbol.dispose]();
  expect(ticks).toEqual([]);
  const names = await one.store.names();
  expect(names).toHaveLength(3);
  await one.store.remove(names);
  expect(await other.store.names()).toEqual([]);
});

test('old events of all replicas are removed by one that runs a command', async () => {
  let time = now();
  const records = memoryRecords();
  const { store } = sharedCommands({ records, every: () => ({ [Symbol.dispose]: () => {} }), now: () => time });
  for (const n of [1, 2, 3]) {
    const event = command(n, `2026-11-21T00:00:0${n}.000000Z`);
    await store.add(nameOf(event), JSON.stringify(event));
  }
  await using service = bashService({
    store,
    root: '/',
    env: process.env,
    redactor: redactor([], { replacement: '' }),
    retention: { maxAgeMs: 100_000, maxEvents: 2 },
    now: () => time,
    onError: () => {},
  });
  const idsAfterCommand = async (): Promise<readonly string[]> => {
    await (
      await service.start({ command: 'true', cwd: null, timeout: 60 })
    ).ended;
    return (await service.search({ order: 'TIMESTAMP', limit: 10 })).items.map(({ id }) => id);
  };
  expect((await idsAfterCommand()).slice(0, -2)).toEqual(['2', '3'].map((id) => id.padStart(32, '0')));
  time += 200_000;
  expect(await idsAfterCommand()).toHaveLength(2);
});
