import { normalize } from 'node:path';
import {
  type EventLog,
  type EventStore,
  type Fact,
  type FactQuery,
  type LogReader,
  memoryStore,
  type NewEvent,
  type Page,
  type SnapshotCache,
  type Stored,
} from '@varve/storage';
import { eventStoreContract, type StoreHarness } from '@varve/storage/testing';
import { describe, expect, test } from 'vitest';
import type { Snapshot } from '../contract/snapshots.ts';

/** A defect: members that replace those of a working store. */
interface Defect {
  readonly store?: (store: EventStore) => Partial<EventStore>;
  readonly log?: (log: EventLog) => Partial<EventLog>;
  /** Titles of checks that must fail. */
  readonly failedChecks: readonly string[];
}

const defects: Record<string, Defect> = {
  'stores events in reverse order': {
    log: (log) => ({ append: async (events, options) => log.append(events.toReversed(), options) }),
    failedChecks: [
      'events are returned in order, with their seqs, fields and exact text',
      'a thousand events keep their order, appended one by one or in one append',
    ],
  },
  'reserialises events': {
    log: (log) => ({ range: (from, to) => mapTexts(log.range(from, to), (text) => JSON.stringify(JSON.parse(text))) }),
    failedChecks: ['events are returned in order, with their seqs, fields and exact text'],
  },
  'trims its texts': {
    log: (log) => ({ range: (from, to) => mapTexts(log.range(from, to), (text) => text.trim()) }),
    failedChecks: ['text of any language is returned exactly'],
  },
  'ignores expectedHead': {
    log: (log) => ({ append: async (events, { meta } = {}) => log.append(events, { ...(meta && { meta }) }) }),
    failedChecks: [
      'an append at the expected head succeeds, at any other head it is a conflict',
      'a resend of a partly stored append stores the rest',
      'a failing append does not affect concurrent appends',
      'an append of no events resolves with an empty list if the head is the expected one',
    ],
  },
  'stores one event at a time': {
    log: (log) => ({
      async append(events) {
        const seqs = [];
        for (const event of events) seqs.push(...(await log.append([event])));
        return seqs;
      },
    }),
    failedChecks: [
      'a failed append stores nothing, or a prefix if its atomicity is prefix',
      'an id twice in one append is a duplicate',
      'concurrent appends of one log are stored in the order of their calls, each in one piece',
      'meta changes with an append or an empty append, and not otherwise',
    ],
  },
  'resolves before it has stored': {
    log: (log) => ({
      async append(events, options) {
        const head = await log.head();
        setImmediate(() => void log.append(events, options).catch(() => {}));
        return events.map((_, index) => head + index);
      },
    }),
    failedChecks: [
      'a reader needs no lease and sees what was acknowledged before',
      'appending the same event again returns its old seq and stores nothing',
      'disposing a log waits for its appends',
    ],
  },
  'ignores another text of a stored id': {
    log: (log) => ({
      async append(events, options) {
        const known = await Promise.all(events.map(async ({ id }) => log.seqOf(id)));
        const seqs = await log.append(
          events.filter((_, index) => known[index] === undefined),
          options,
        );
        return known.map((seq, index) => seq ?? seqs[index] ?? 0);
      },
    }),
    failedChecks: [
      'the same id with another text is a duplicate',
      'an event with a long string differs from one whose string differs anywhere',
    ],
  },
  'reads past the head it started with': {
    log: (log) => ({
      async *range(from, to) {
        for (let next = from; next < Math.min(to ?? Infinity, await log.head()); next += 1) yield log.at(next);
      },
    }),
    failedChecks: ['a range ends at the head that it started with'],
  },
  'includes the end of a range': {
    log: (log) => ({ range: (from, to) => log.range(from, to === undefined ? to : to + 1) }),
    failedChecks: ['a range includes its start, excludes its end, and may be empty'],
  },
  'skips existing events when tailing': {
    log: (log) => ({
      async *tail(from, signal) {
        yield* log.tail(Math.max(from, await log.head()), signal);
      },
    }),
    failedChecks: ['a tail starts at the given seq, also above the head'],
  },
  'tails an event twice': {
    log: (log) => ({
      async *tail(from, signal) {
        for await (const event of log.tail(from, signal)) yield* [event, event];
      },
    }),
    failedChecks: [
      'a tail starts at the given seq, also above the head',
      'several tails of one log and of others do not disturb each other',
    ],
  },
  'throws when a tail is aborted': {
    log: (log) => ({
      async *tail(from, signal) {
        yield* log.tail(from, signal);
        signal.throwIfAborted();
      },
    }),
    failedChecks: ['a waiting tail ends without an error when its signal aborts'],
  },
  'makes every event the child of the previous one': {
    log: (log) => ({ append: async (events, options) => log.append(chainEvents(events), options) }),
    failedChecks: ['branches are in one log, in the order of their appends, and each event keeps its parent'],
  },
  'never changes meta': {
    log: (log) => ({ append: async (events) => log.append(events) }),
    failedChecks: ['meta changes with an append or an empty append, and not otherwise'],
  },
  'grants the lease to every caller': {
    store: (store) => ({
      open: async (id) => store.open(id).catch(async () => fakeLog(await store.read(id))),
    }),
    failedChecks: ['a conversation has one log at a time', 'one of many concurrent open calls gets the lease'],
  },
  'keeps the lease of a disposed log': {
    log: () => ({ [Symbol.asyncDispose]: async () => {} }),
    failedChecks: [
      'a disposed log frees its conversation, and the next one has a higher epoch',
      'a disposed log is closed, and disposing it again does nothing',
    ],
  },
  'never increases the epoch': {
    log: () => ({ epoch: 1 }),
    failedChecks: ['a disposed log frees its conversation, and the next one has a higher epoch'],
  },
  'loses the first item of each next page': {
    store: (store) => ({
      async list(query) {
        const page = await store.list(query);
        return query?.after === undefined ? page : { ...page, items: page.items.slice(1) };
      },
    }),
    failedChecks: ['pages of any size add up to the whole listing, in every order', 'the last page has no next'],
  },
  'lists the last updated first in every case': {
    store: (store) => ({ list: async ({ limit = 100, after } = {}) => store.list({ limit, ...(after && { after }) }) }),
    failedChecks: [
      'pages of any size add up to the whole listing, in every order',
      'a listing starts with a conversation, in every order',
      'conversations are listed and counted by the status in their meta, the empty one for those without',
    ],
  },
  'lists the oldest first': {
    store: (store) => ({
      async list(query) {
        const page = await store.list(query);
        return { ...page, items: page.items.toReversed() };
      },
    }),
    failedChecks: ['a listing shows the last updated first, and ids descending among equals'],
  },
  'returns pages of fifty': {
    store: (store) => ({ list: async (query) => store.list({ limit: 50, ...query }) }),
    failedChecks: ['a page has a hundred conversations by default'],
  },
  'accepts any meta': {
    store: (store) => ({ create: async (id, meta) => store.create(id, JSON.parse(safeText(meta))) }),
    failedChecks: ['meta that is not JSON is invalid and changes nothing'],
  },
  'does not remove': {
    store: () => ({ remove: async () => {} }),
    failedChecks: [
      'a removed conversation is missing, and its id can be used again',
      'a conversation that does not exist is missing',
    ],
  },
  'ignores the condition of a removal': {
    store: (store) => ({ remove: async (id) => store.remove(id) }),
    failedChecks: ['a conversation with another meta than the expected one is not removed'],
  },
  'cannot be closed': {
    store: () => ({ [Symbol.asyncDispose]: async () => {} }),
    failedChecks: ['a disposed store is closed, with its logs and readers'],
  },
  'mixes the names of snapshots': {
    log: ({ snapshots }) => ({
      snapshots: {
        latest: async (_name, upTo) => snapshots.latest('any', upTo),
        save: async (_name, snapshot) => snapshots.save('any', snapshot),
      },
    }),
    failedChecks: [
      'a saved snapshot is returned, the newest first',
      'few snapshots are kept per name, and names and conversations do not mix',
    ],
  },
  'shares the states of snapshots': {
    log: () => ({ snapshots: sharedSnapshot() }),
    failedChecks: ['a snapshot is a copy, and failing to save one is not an error'],
  },
  'uses names of snapshots as paths': {
    log: ({ snapshots }) => ({
      snapshots: {
        latest: async (name, upTo) => snapshots.latest(normalize(name).toLowerCase(), upTo),
        save: async (name, snapshot) => snapshots.save(normalize(name).toLowerCase(), snapshot),
      },
    }),
    failedChecks: ['names of snapshots are any text, and do not mix'],
  },
  'truncates long texts': {
    store: (store) => ({ read: async (id) => truncateTexts(await store.read(id)) }),
    failedChecks: ['long strings are returned exactly, however often they occur'],
  },
  'truncates long texts when writing': {
    log: (log) => ({ range: (from, to) => mapTexts(log.range(from, to), (text) => text.slice(0, 40_000)) }),
    failedChecks: ['an event with a long string loses nothing when another event with it is removed'],
  },
  'finds facts of any value': {
    store: (store) => ({
      async facts(query) {
        const { value: _, ...rest } = query;
        return factsIn(store, rest);
      },
    }),
    failedChecks: ['a fact is found by its name, and by its value, in every conversation'],
  },
  'finds facts of other names': {
    store: (store) => ({
      facts: async (query) => {
        const { items } = await factsIn(store, query);
        return { items: [...items, { name: query.name, value: 'x', conversation: 'c', seq: 99 }] };
      },
    }),
    failedChecks: [
      'items of a list are found once each; numbers, records, long or half texts and other events are not',
      'facts are added by an append and removed with their conversation or a cut',
    ],
  },
  'returns facts in reverse order': {
    store: (store) => ({
      async facts(query) {
        const page = await factsIn(store, query);
        return { ...page, items: page.items.toReversed() };
      },
    }),
    failedChecks: ['a fact is found by its name, and by its value, in every conversation'],
  },
  'starts each page of facts at the first one': {
    store: (store) => ({
      async facts(query) {
        const { after: _, ...rest } = query;
        return factsIn(store, rest);
      },
    }),
    failedChecks: [
      'pages of facts of any size add up to the whole, with a value and without',
      'a limit out of range and a cursor that is not from a page of facts are invalid',
    ],
  },
  'returns a newer snapshot than requested': {
    log: ({ snapshots }) => ({ snapshots: { ...snapshots, latest: async (name) => snapshots.latest(name) } }),
    failedChecks: ['a saved snapshot is returned, the newest first'],
  },
};

describe.for(Object.entries(defects))('a store that %s', ([, defect]) => {
  test.for(defect.failedChecks)('fails: %s', async (title) => {
    const check = eventStoreContract.find((other) => other.title === title);
    const outcome = await check?.run({ open: async () => broken(defect) }).then(
      () => 'passes',
      () => 'fails',
    );
    expect(outcome).toBe('fails');
  });
});

test('a store without a defect passes', async () => {
  for (const check of eventStoreContract.filter(({ needs }) => needs === undefined)) {
    await check.run({ open: async () => broken({ failedChecks: [] }) });
  }
});

/** Copies a store in memory without the last `lost` events of each conversation, and optionally without `meta`. */
async function copyOf(store: EventStore, { lost = 0, isMetaLost = false } = {}): Promise<EventStore> {
  const left = memoryStore({ now: () => 1 });
  for (const { id, head, meta } of (await store.list()).items) {
    await using log = await left.create(id, isMetaLost ? {} : meta);
    await log.append(await Array.fromAsync((await store.read(id)).range(0, Math.max(0, head - lost))));
  }
  return left;
}

describe('after a crash', () => {
  const checks = eventStoreContract.filter(({ needs }) => needs?.includes('crash'));
  const outcomes = async (crash: StoreHarness['crash']) =>
    Promise.all(
      checks.map(async (check) =>
        check.run({ open: async () => memoryStore({ now: () => 1 }), ...(crash && { crash }) }).then(
          () => 'passes',
          () => 'fails',
        ),
      ),
    );

  test('a store that lost nothing passes', async () => {
    expect(await outcomes(async (store) => copyOf(store))).toEqual(['passes', 'passes']);
  });

  test('a store that lost the last event or the last meta, or that is still held, fails', async () => {
    expect(await outcomes(async (store) => copyOf(store, { lost: 1 }))).toEqual(['fails', 'fails']);
    expect((await outcomes(async (store) => copyOf(store, { isMetaLost: true })))[0]).toBe('fails');
    expect((await outcomes(async (store) => store))[1]).toBe('fails');
  });
});

test('every title is unique', () => {
  const titles = eventStoreContract.map(({ title }) => title);
  expect(titles).toEqual([...new Set(titles)]);
});

function broken({ store: storeDefect = () => ({}), log: logDefect = () => ({}) }: Defect): EventStore {
  const healthy = memoryStore();
  const breaking = async (log: Promise<EventLog>): Promise<EventLog> => ({ ...(await log), ...logDefect(await log) });
  const store: EventStore = {
    create: async (id, meta) => breaking(healthy.create(id, meta)),
    open: async (id) => breaking(healthy.open(id)),
    read: async (id) => healthy.read(id),
    list: async (query) => healthy.list(query),
    count: async (query) => healthy.count(query),
    summary: async (id) => healthy.summary(id),
    remove: async (id, options) => healthy.remove(id, options),
    facts: async (query) => factsIn(healthy, query),
    [Symbol.asyncDispose]: async () => healthy[Symbol.asyncDispose](),
  };
  return { ...store, ...storeDefect(store) };
}

async function factsIn(store: EventStore, query: FactQuery): Promise<Page<Fact>> {
  return (await store.facts?.(query)) ?? { items: [] };
}

function truncateTexts(log: LogReader): LogReader {
  return { ...log, range: (from, to) => mapTexts(log.range(from, to), (text) => text.slice(0, 40_000)) };
}

/** Returns the JSON of any value, or `null` if it has none. */
function safeText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    return 'null';
  }
}

/** Returns a cache of one snapshot that it does not copy. */
function sharedSnapshot(): SnapshotCache {
  let saved: Snapshot | undefined;
  return { latest: async () => saved, save: async (_name, snapshot) => void (saved = snapshot) };
}

/** Returns a log without a lease. */
function fakeLog({ proof: _none, ...reader }: LogReader): EventLog {
  const snapshots = { latest: async () => undefined, save: async () => {} };
  const dispose = { [Symbol.asyncDispose]: async () => {} };
  return { ...reader, ...dispose, atomicity: 'all', epoch: 1, append: async () => [], snapshots };
}

/** Makes every event the child of the previous one. */
function chainEvents(events: readonly NewEvent[]): readonly NewEvent[] {
  return events.map((event, index) => ({ ...event, parentId: events[index - 1]?.id ?? event.parentId }));
}

async function* mapTexts(events: AsyncIterable<Stored>, change: (text: string) => string): AsyncGenerator<Stored> {
  for await (const event of events) yield { ...event, text: change(event.text) };
}
