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
    root: '/',
    now: () => 0,
    onError: () => {},
  });
  const seen: string[] = [];
  const subscription = service.subscribe((event) => seen.push(event.kind));
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
    now: () => 0,
    onError: (error) => errors.push(error),
  });
  const { ended } = await service.start({ ...request, command: 'yes' });
  await expect(ended).rejects.toThrow('disk full');
  expect(errors).toHaveLength(1);
});
