import { describe, expect, test } from 'vitest';
import { recordPage, searchRecords, type V0Record } from '@varve/interop/records';
import { v0Fixture } from './fixture.ts';
import { type RecordFiles, EventStream } from '../src/v0/event-stream.ts';

function memoryFiles(texts: Map<string, string> = new Map()): RecordFiles & { readonly texts: Map<string, string> } {
  return {
    texts,
    read: async (path) => texts.get(path),
    write: async (path, text) => void texts.set(path, text),
    list: async (directory) =>
      [...texts.keys()]
        .filter((path) => path.startsWith(`${directory}/`))
        .map((path) => path.slice(directory.length + 1)),
  };
}

const now = (): number => Date.UTC(2026, 0, 1);
const ignore = (): void => undefined;
const mask = (text: string): string => text.replaceAll('hunter2', '<secret_hidden>');
const userMessage = (content: string): V0Record => ({ action: 'message', args: { content } });

async function all(records: AsyncIterable<V0Record>): Promise<readonly V0Record[]> {
  const delivered: V0Record[] = [];
  for await (const record of records) delivered.push(record);
  return delivered;
}

describe('an event stream', () => {
  test('stores records with dense ids before it delivers them, and continues after the last', async () => {
    const files = memoryFiles();
    const stream = await EventStream.open({ files, now });
    const stored: (string | undefined)[] = [];
    stream.subscribe('main', ({ id }) => void stored.push(files.texts.get(`events/${String(id)}.json`)), 'a');
    await Promise.all(Array.from({ length: 26 }, async (_, index) => stream.add(userMessage(`m${index}`), 'user')));
    await stream.close();
    expect(stored.map((text) => (JSON.parse(text ?? '{}') as V0Record)['id'])).toEqual([...stored.keys()]);
    expect([...files.texts.keys()].filter((path) => path.startsWith('event_cache'))).toEqual(['event_cache/0-25.json']);
    const again = await EventStream.open({ files, now });
    expect(again.nextId).toBe(26);
    const { timestamp } = await again.add(userMessage('later'), 'agent');
    const [last] = await all(again.search({ startId: 25, endId: 25 }));
    expect(String(timestamp) > String(last?.['timestamp'])).toBe(true);
  });

  test('searches a directory with a huge id without a read for each id before it', async () => {
    const texts = new Map([3, 999_999_999_999_998].map((id) => [`events/${id}.json`, JSON.stringify({ id })]));
    const stream = await EventStream.open({ files: memoryFiles(texts), now });
    const ids = (await all(stream.search())).map(({ id }) => id);
    const newest = (await all(stream.search({ reverse: true, startId: 4 }))).map(({ id }) => id);
    expect([ids, newest]).toEqual([[3, 999_999_999_999_998], [999_999_999_999_998]]);
  });

  test('delivers to each callback in order, and one that waits or fails delays no other', async () => {
    const errors: unknown[] = [];
    const onCallbackError = (error: unknown, subscriber: string): void => void errors.push([subscriber, error]);
    const stream = await EventStream.open({ files: memoryFiles(), now, onCallbackError });
    const seen: string[] = [];
    const { promise: gate, resolve: open } = Promise.withResolvers<undefined>();
    stream.subscribe(
      'slow',
      async ({ id }) => {
        if (id === 0) await gate;
        seen.push(`slow ${String(id)}`);
      },
      'x',
    );
    stream.subscribe(
      'broken',
      () => {
        throw new Error('no');
      },
      'x',
    );
    const { promise: both, resolve: done } = Promise.withResolvers<undefined>();
    stream.subscribe(
      'fast',
      ({ id }) => {
        seen.push(`fast ${String(id)}`);
        if (id === 1) done(undefined);
      },
      'x',
    );
    await stream.add(userMessage('a'), 'user');
    await stream.add(userMessage('b'), 'user');
    await both;
    open(undefined);
    await stream.close();
    expect(seen).toEqual(['fast 0', 'fast 1', 'slow 0', 'slow 1']);
    expect(errors).toEqual([
      ['broken', new Error('no')],
      ['broken', new Error('no')],
    ]);
  });

  test('refuses a second callback with one id, a record with an id, and records after its end', async () => {
    const stream = await EventStream.open({ files: memoryFiles(), now });
    stream.subscribe('main', ignore, 'a');
    stream.subscribe('test', ignore, 'a');
    expect(() => stream.subscribe('main', ignore, 'a')).toThrow('main has a callback a already');
    expect([stream.unsubscribe('main', 'a'), stream.unsubscribe('main', 'a')]).toEqual([true, false]);
    await expect(stream.add({ ...userMessage('a'), id: 3 }, 'user')).rejects.toThrow('has the id 3 already');
    await stream.close();
    await expect(stream.add(userMessage('a'), 'user')).rejects.toThrow('closed');
  });

  test('masks secrets at any depth, and uses the id of a failed write again', async () => {
    const files = memoryFiles();
    let isFull = true;
    const write = async (path: string, text: string): Promise<void> => {
      if (isFull) throw new Error('full');
      await files.write(path, text);
    };
    const stream = await EventStream.open({ files: { ...files, write }, now, mask });
    await expect(stream.add(userMessage('x'), 'user')).rejects.toThrow('full');
    isFull = false;
    const record = { action: 'task_tracking', args: { task_list: [{ title: 'use hunter2' }] }, message: 'hunter2' };
    const stored = await stream.add(record, 'agent');
    expect([stored['id'], JSON.stringify(stored).includes('hunter2')]).toEqual([0, false]);
  });

  test('finds what a list of its records contains, forward and backward, and skips broken files', async () => {
    const texts = new Map(
      v0Fixture('every-kind').map((record) => [`events/${String(record['id'])}.json`, JSON.stringify(record)]),
    );
    const stream = await EventStream.open({ files: memoryFiles(texts), now });
    texts.set('events/2.json', '{');
    const records = v0Fixture('every-kind').filter(({ id }) => id !== 2);
    for (const query of [{}, { reverse: true, limit: 3 }, { startId: 4, endId: 9 }, { filter: { source: 'user' } }]) {
      expect(await all(stream.search(query))).toEqual(searchRecords(records, query));
    }
  });
});

describe('a search', () => {
  const records = v0Fixture('every-kind');
  const ids = (filter: Parameters<typeof searchRecords>[1]) => searchRecords(records, filter).map(({ id }) => id);

  test('leaves out hidden records', () => {
    const hidden = ids({}).filter((id) => !ids({ filter: { excludeHidden: true } }).includes(id));
    expect(hidden.map((id) => records.find((record) => record['id'] === id)?.['message'])).toEqual([
      'Running command: git diff',
      '',
    ]);
  });

  test('includes and excludes types', () => {
    const actions = ids({ filter: { includeTypes: ['action:run'] } });
    const both = ids({ filter: { includeTypes: ['run'] } });
    expect(both.length).toBeGreaterThan(actions.length);
    expect(ids({ filter: { excludeTypes: ['run'] } })).toHaveLength(records.length - both.length);
  });

  test('compares the source', () => {
    const ofUser = records.flatMap(({ id, source }) => (source === 'user' ? [id] : []));
    expect(ofUser.length).toBeGreaterThan(0);
    expect(ids({ filter: { source: 'user' } })).toEqual(ofUser);
  });

  test('compares times as text, both ends included, and finds text in any case', () => {
    const [{ timestamp: start } = {}, { timestamp: end } = {}] = records.slice(3, 5);
    expect(ids({ filter: { startDate: String(start), endDate: String(end) } })).toEqual([3, 4]);
    expect(searchRecords([{ id: 0 }], { filter: { startDate: '2030' } })).toHaveLength(1);
    expect(ids({ filter: { query: 'FIX THE FAILING' } })).toEqual([1, 2]);
  });

  test('returns pages of at most 100 records that report whether there are more', () => {
    const many = Array.from({ length: 130 }, (_, id) => ({ id }));
    expect(recordPage(many, { limit: 1000 })).toMatchObject({ events: { length: 100 }, has_more: true });
    expect(recordPage(many, { startId: 100 })).toMatchObject({ events: { length: 30 }, has_more: false });
    expect(recordPage(many, { reverse: true, limit: 1 })).toEqual({ events: [{ id: 129 }], has_more: true });
  });
});
