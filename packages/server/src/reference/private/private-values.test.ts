import { expect, test } from 'vitest';
import { memoryRecords } from '../../hosting/host.ts';
import { noPrivateValues, PrivateValues } from './private-values.ts';

test('closing waits for a change that is stored, and nothing is stored afterwards', async () => {
  const records = memoryRecords();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const slow = {
    ...records,
    async write(id: string, text: string) {
      await gate;
      await records.write(id, text);
    },
  };
  const values = new PrivateValues('a', noPrivateValues, { records: slow });
  await values.hold();
  const changed = values.update({ plugins: ['/one'] });
  const closed = values.close().then(() => records.read('a'));
  open();
  await changed;
  expect(await closed).toContain('/one');
  await records.remove('a');
  await expect(values.update({ plugins: ['/two'] })).rejects.toMatchObject({ code: 'closed' });
  expect(await records.read('a')).toBeUndefined();
});

test.for([true, false])('nothing is stored before the conversation is held: new %j', async (isNew) => {
  const records = memoryRecords();
  const values = new PrivateValues('a', noPrivateValues, { records, isNew });
  await values.update({ plugins: ['/one'] });
  expect(await records.read('a')).toBeUndefined();
  await values.hold();
  expect(await records.read('a')).toContain('/one');
});

test('values without a change are stored only if they are new', async () => {
  for (const isNew of [true, false]) {
    const records = memoryRecords();
    await new PrivateValues('a', noPrivateValues, { records, isNew }).hold();
    expect((await records.read('a')) !== undefined).toBe(isNew);
  }
});
