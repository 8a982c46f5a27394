import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventCodec } from '@varve/events';
import { builtinKinds, ConversationStateUpdateEvent, ObservationEvent } from '@varve/events/kinds';
import { TerminalAction, TerminalObservation } from '@varve/events/payloads';
import { statsProjection, statusProjection, Timeline } from '@varve/events/projections';
import { arbitraryLog, eventFactory, type Log } from '@varve/events/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { sqliteStore } from '@varve/storage/sqlite';
import { conversationOf, rowsOf, testId } from '../../../test/support/conversation-of.ts';
import { conversationFolds } from './conversation-folds.ts';
import { countEvents } from '../../http/conversations/search-events.ts';
import { eventFilter } from './event-filter.ts';
import { conversationInfoOf } from './info-of.ts';
import { Lru } from './lru.ts';

/** A store that records the seqs from which its logs were read. */
function watched(store: EventStore = memoryStore()): { readonly store: EventStore; readonly readFrom: number[] } {
  const readFrom: number[] = [];
  const read = store.read.bind(store);
  store.read = async (id) => {
    const log = await read(id);
    const range = log.range.bind(log);
    return Object.assign(log, {
      range(from: number, to?: number) {
        readFrom.push(from);
        return range(from, to);
      },
    });
  };
  return { store, readFrom };
}

const id = testId(1);

test('a log is read once, and later only its new events', async () => {
  const { store, readFrom } = watched();
  const folds = conversationFolds(store);
  const { user } = eventFactory();
  await conversationOf(store, { id, events: [user('One.'), user('Two.')] });
  for (let time = 0; time < 3; time++) expect((await folds.of(await store.summary(id))).head).toBe(2);
  expect(readFrom).toEqual([0]);
  const later = user('Three.');
  await using log = await store.open(id);
  await log.append(rowsOf([later]));
  expect(await folds.of(await store.summary(id))).toMatchObject({ head: 3, leafId: later.id });
  expect(readFrom).toEqual([0, 2]);
});

test('all events are counted without reading one twice, and those of a filter by reading them', async () => {
  const { store, readFrom } = watched();
  const sources = { store, folds: conversationFolds(store) };
  const { user, agent } = eventFactory();
  await conversationOf(store, { id, events: [user('One.'), agent('Two.')] });
  const log = await store.read(id);
  for (let time = 0; time < 2; time++) expect(await countEvents(log, { kind: undefined }, sources)).toBe(2);
  expect(await countEvents(log, { source: 'user' }, sources)).toBe(1);
  expect(readFrom).toEqual([0, 0]);
});

test('a fold of a long log is saved, and the next process reads only what follows it', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  await using opened = await sqliteStore({ path: join(directory.path, 'store.db'), durability: 'buffered' });
  const { store, readFrom } = watched(opened);
  const { user } = eventFactory();
  await conversationOf(store, { id, events: Array.from({ length: 1000 }, (_, index) => user(`${index}`)) });
  const summary = await store.summary(id);
  const first = await conversationFolds(store).of(summary);
  expect(await conversationFolds(store).of(summary)).toEqual(first);
  expect(readFrom).toEqual([0, 999]);
});

test('the info has what the log shows about the last answer', async () => {
  const { store } = watched();
  const { user, call, stamp } = eventFactory();
  const check = call('c', 'r', { action: TerminalAction.create({ command: 'npm test' }) });
  const observation = TerminalObservation.create({ content: [], exit_code: 1 });
  const named = { tool_name: 'terminal', tool_call_id: 'c', action_id: check.id };
  const events = [user('One.'), check, ObservationEvent.create({ ...named, observation }, stamp())];
  await conversationOf(store, { id, events });
  const summary = await store.summary(id);
  const info = conversationInfoOf(summary, await conversationFolds(store).of(summary), { includeSkills: false });
  expect(info.agent_state).toEqual({ evidence: 'npm test: exit 1 (event 2)' });
});

test('concurrent callers share one read', async () => {
  const { store, readFrom } = watched();
  const folds = conversationFolds(store);
  const { user } = eventFactory();
  await conversationOf(store, { id, events: [user('One.'), user('Two.')] });
  const summary = await store.summary(id);
  const results = await Promise.all([folds.of(summary), folds.of(summary), folds.of(summary)]);
  expect(results.map(({ head }) => head)).toEqual([2, 2, 2]);
  expect(readFrom).toEqual([0]);
});

test('a later conversation with the same id is folded from its start', async () => {
  const times = [1, 2, 3, 4];
  const store = memoryStore({ now: () => times.shift() ?? 5 });
  const folds = conversationFolds(store);
  const { user, stamp } = eventFactory();
  const stuck = ConversationStateUpdateEvent.create({ key: 'execution_status', value: 'stuck' }, stamp());
  await conversationOf(store, { id, events: [user('One.'), stuck] });
  expect((await folds.of(await store.summary(id))).status.execution).toBe('stuck');
  await store.remove(id);
  await conversationOf(store, { id, events: [user('Two.')] });
  expect(await folds.of(await store.summary(id))).toMatchObject({ head: 1, status: { execution: 'idle' } });
});

test('a failed fold resumes at its last event', async () => {
  const { store } = watched();
  const folds = conversationFolds(store);
  await conversationOf(store, { id, events: [eventFactory().user('One.')] });
  const summary = await store.summary(id);
  const read = store.read.bind(store);
  store.read = async () => {
    throw new Error('The disk was gone.');
  };
  await expect(folds.of(summary)).rejects.toThrow('The disk was gone.');
  store.read = read;
  expect((await folds.of(summary)).head).toBe(1);
});

test('a fold of any log equals the fold with all kinds of events', async () => {
  const projections = { status: statusProjection, stats: statsProjection };
  await fc.assert(
    fc.asyncProperty(arbitraryLog<fc.Arbitrary<Log>>(fc), async (entries) => {
      const timeline = new Timeline({ codec: eventCodec(builtinKinds), projections });
      await timeline.load((from) => entries.slice(from));
      const summary = { id, createdAt: 0, updatedAt: 0, head: entries.length, meta: {} };
      const folds = conversationFolds({ read: async () => ({ range: (from) => Readable.from(entries.slice(from)) }) });
      expect(await folds.of(summary)).toMatchObject({
        head: entries.length,
        leafId: timeline.leafId,
        status: timeline.read('status'),
        stats: timeline.read('stats'),
        count: entries.filter(eventFilter({})).length,
      });
    }),
    { numRuns: 100 },
  );
});

test('the most recently used values are kept', () => {
  const lru = new Lru<string, number>(2);
  lru.set('a', 1);
  lru.set('b', 2);
  lru.get('a');
  lru.set('c', 3);
  expect([lru.size, lru.get('a'), lru.get('b'), lru.get('c')]).toEqual([2, 1, undefined, 3]);
});
