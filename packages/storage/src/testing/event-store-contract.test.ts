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
  type Snapshot,
  type SnapshotCache,
  type Stored,
} from '@varve/storage';
import { eventStoreContract, type StoreHarness } from '@varve/storage/testing';
import { describe, expect, test } from 'vitest';

/** What is broken about a store: members that take the place of the healthy ones. */
interface Defect {
  readonly store?: (store: EventStore) => Partial<EventStore>;
  readonly log?: (log: EventLog) => Partial<EventLog>;
  /** Titles of checks that must notice. */
  readonly noticedBy: readonly string[];
}

const defects: Record<string, Defect> = {
  'stores events backwards': {
    log: (log) => ({ append: async (events, options) => log.append(events.toReversed(), options) }),
    noticedBy: [
      'events come back in order, with their seqs, fields and exact text',
      'a thousand events keep their order, one by one and at once',
    ],
  },
  'serialises events again': {
    log: (log) => ({ range: (from, to) => mapped(log.range(from, to), (text) => JSON.stringify(JSON.parse(text))) }),
    noticedBy: ['events come back in order, with their seqs, fields and exact text'],
  },
  'trims its texts': {
    log: (log) => ({ range: (from, to) => mapped(log.range(from, to), (text) => text.trim()) }),
    noticedBy: ['text of any language comes back exactly'],
  },
  'ignores expectedHead': {
    log: (log) => ({ append: async (events, { meta } = {}) => log.append(events, { ...(meta && { meta }) }) }),
    noticedBy: [
      'an append at the expected head succeeds, at any other head it is a conflict',
      'a resend of a partly stored append stores the rest',
      'of concurrent appends only the failing one fails',
      'an append of nothing resolves with nothing, if the head is the expected one',
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
    noticedBy: [
      'a failed append stores nothing, or a prefix where the log says so',
      'an id twice in one append is a duplicate',
      'concurrent appends of one log are stored in the order of their calls, each in one piece',
      'meta changes with an append, with an empty append, and otherwise not',
    ],
  },
  'answers before it has stored': {
    log: (log) => ({
      async append(events, options) {
        const head = await log.head();
        setImmediate(() => void log.append(events, options).catch(() => {}));
        return events.map((_, index) => head + index);
      },
    }),
    noticedBy: [
      'a reader needs no lease and sees what was acknowledged before',
      'the same event again gives its old seq and stores nothing',
      'disposing a log waits for its appends',
    ],
  },
  'takes the first text of an id for the right one': {
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
    noticedBy: [
      'the same id with another text is a duplicate',
      'an event with a long string is told from one whose string differs anywhere',
    ],
  },
  'reads on past the head it started with': {
    log: (log) => ({
      async *range(from, to) {
        for (let next = from; next < Math.min(to ?? Infinity, await log.head()); next += 1) yield log.at(next);
      },
    }),
    noticedBy: ['a range ends at the head that it started with'],
  },
  'counts the end of a range in': {
    log: (log) => ({ range: (from, to) => log.range(from, to === undefined ? to : to + 1) }),
    noticedBy: ['a range has its start and not its end, and is empty where there is nothing'],
  },
  'skips the past when tailing': {
    log: (log) => ({
      async *tail(from, signal) {
        yield* log.tail(Math.max(from, await log.head()), signal);
      },
    }),
    noticedBy: ['a tail starts where it is told, also beyond the head'],
  },
  'tails an event twice': {
    log: (log) => ({
      async *tail(from, signal) {
        for await (const event of log.tail(from, signal)) yield* [event, event];
      },
    }),
    noticedBy: [
      'a tail starts where it is told, also beyond the head',
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
    noticedBy: ['a waiting tail ends without an error when its signal aborts'],
  },
  'makes a chain of all events': {
    log: (log) => ({ append: async (events, options) => log.append(chained(events), options) }),
    noticedBy: ['branches lie in one log, in the order of their appends, and each event keeps its parent'],
  },
  'never changes meta': {
    log: (log) => ({ append: async (events) => log.append(events) }),
    noticedBy: ['meta changes with an append, with an empty append, and otherwise not'],
  },
  'gives everybody the lease': {
    store: (store) => ({
      open: async (id) => store.open(id).catch(async () => fakeLog(await store.read(id))),
    }),
    noticedBy: ['a conversation has one log at a time', 'of many that open at once one gets the lease'],
  },
  'keeps the lease of a disposed log': {
    log: () => ({ [Symbol.asyncDispose]: async () => {} }),
    noticedBy: [
      'a disposed log frees its conversation, and the next one has a higher epoch',
      'a disposed log is closed, and disposing it again does nothing',
    ],
  },
  'has one epoch for all': {
    log: () => ({ epoch: 1 }),
    noticedBy: ['a disposed log frees its conversation, and the next one has a higher epoch'],
  },
  'loses the first of each next page': {
    store: (store) => ({
      async list(query) {
        const page = await store.list(query);
        return query?.after === undefined ? page : { ...page, items: page.items.slice(1) };
      },
    }),
    noticedBy: ['pages of any size add up to the whole listing', 'the last page has no next'],
  },
  'lists the oldest first': {
    store: (store) => ({
      async list(query) {
        const page = await store.list(query);
        return { ...page, items: page.items.toReversed() };
      },
    }),
    noticedBy: ['a listing shows the last updated first, and ids descending among equals'],
  },
  'gives pages of fifty': {
    store: (store) => ({ list: async (query) => store.list({ limit: 50, ...query }) }),
    noticedBy: ['a page has a hundred conversations unless told otherwise'],
  },
  'takes any meta': {
    store: (store) => ({ create: async (id, meta) => store.create(id, JSON.parse(safeText(meta))) }),
    noticedBy: ['meta without a JSON text is invalid and changes nothing'],
  },
  'does not remove': {
    store: () => ({ remove: async () => {} }),
    noticedBy: ['a removed conversation is gone, and its id is free', 'what does not exist is missing'],
  },
  'cannot be closed': {
    store: () => ({ [Symbol.asyncDispose]: async () => {} }),
    noticedBy: ['a disposed store is closed, with its logs and readers'],
  },
  'mixes the names of snapshots': {
    log: ({ snapshots }) => ({
      snapshots: {
        latest: async (_name, upTo) => snapshots.latest('any', upTo),
        save: async (_name, snapshot) => snapshots.save('any', snapshot),
      },
    }),
    noticedBy: [
      'a saved snapshot comes back, the newest first',
      'few snapshots are kept per name, and names and conversations do not mix',
    ],
  },
  'shares the states of snapshots': {
    log: () => ({ snapshots: sharing() }),
    noticedBy: ['a snapshot is a copy, and one that cannot be saved is no error'],
  },
  'makes paths of the names of snapshots': {
    log: ({ snapshots }) => ({
      snapshots: {
        latest: async (name, upTo) => snapshots.latest(normalize(name).toLowerCase(), upTo),
        save: async (name, snapshot) => snapshots.save(normalize(name).toLowerCase(), snapshot),
      },
    }),
    noticedBy: ['names of snapshots are any text, and do not mix'],
  },
  'cuts long texts': {
    store: (store) => ({ read: async (id) => cutting(await store.read(id)) }),
    noticedBy: ['long strings come back exactly, however often they are said'],
  },
  'cuts long texts where it writes': {
    log: (log) => ({ range: (from, to) => mapped(log.range(from, to), (text) => text.slice(0, 40_000)) }),
    noticedBy: ['who says a long string too loses nothing when another goes'],
  },
  'finds facts of any value': {
    store: (store) => ({
      async facts(query) {
        const { value: _, ...rest } = query;
        return factsIn(store, rest);
      },
    }),
    noticedBy: ['a fact is found by its name, and by its value, in every conversation'],
  },
  'finds facts that are not asked for': {
    store: (store) => ({
      facts: async (query) => {
        const { items } = await factsIn(store, query);
        return { items: [...items, { name: query.name, value: 'x', conversation: 'c', seq: 99 }] };
      },
    }),
    noticedBy: [
      'items of a list are found once each; numbers, records, long or half texts and other events are not',
      'facts go with their conversation and with the end of a log, and come with an append',
    ],
  },
  'gives facts backwards': {
    store: (store) => ({
      async facts(query) {
        const page = await factsIn(store, query);
        return { ...page, items: page.items.toReversed() };
      },
    }),
    noticedBy: ['a fact is found by its name, and by its value, in every conversation'],
  },
  'starts each page of facts anew': {
    store: (store) => ({
      async facts(query) {
        const { after: _, ...rest } = query;
        return factsIn(store, rest);
      },
    }),
    noticedBy: [
      'pages of facts of any size add up to the whole, with a value and without',
      'a limit or a cursor that no page of facts gave is invalid',
    ],
  },
  'gives a newer snapshot than asked for': {
    log: ({ snapshots }) => ({ snapshots: { ...snapshots, latest: async (name) => snapshots.latest(name) } }),
    noticedBy: ['a saved snapshot comes back, the newest first'],
  },
};

describe.for(Object.entries(defects))('a store that %s', ([, defect]) => {
  test.for(defect.noticedBy)('fails: %s', async (title) => {
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
    await check.run({ open: async () => broken({ noticedBy: [] }) });
  }
});

/** What is left of a store in memory: of each conversation so many events less, and `meta` as it was or was not. */
async function leftOf(store: EventStore, { lost = 0, isMetaLost = false } = {}): Promise<EventStore> {
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

  test('a store passes that lost nothing', async () => {
    expect(await outcomes(async (store) => leftOf(store))).toEqual(['passes', 'passes']);
  });

  test('a store fails that lost the last event, or what it was told last, or that is held', async () => {
    expect(await outcomes(async (store) => leftOf(store, { lost: 1 }))).toEqual(['fails', 'fails']);
    expect((await outcomes(async (store) => leftOf(store, { isMetaLost: true })))[0]).toBe('fails');
    expect((await outcomes(async (store) => store))[1]).toBe('fails');
  });
});

test('every title is there once', () => {
  const titles = eventStoreContract.map(({ title }) => title);
  expect(titles).toEqual([...new Set(titles)]);
});

function broken({ store: breakStore = () => ({}), log: breakLog = () => ({}) }: Defect): EventStore {
  const healthy = memoryStore();
  const breaking = async (log: Promise<EventLog>): Promise<EventLog> => ({ ...(await log), ...breakLog(await log) });
  const store: EventStore = {
    create: async (id, meta) => breaking(healthy.create(id, meta)),
    open: async (id) => breaking(healthy.open(id)),
    read: async (id) => healthy.read(id),
    list: async (query) => healthy.list(query),
    summary: async (id) => healthy.summary(id),
    remove: async (id) => healthy.remove(id),
    facts: async (query) => factsIn(healthy, query),
    [Symbol.asyncDispose]: async () => healthy[Symbol.asyncDispose](),
  };
  return { ...store, ...breakStore(store) };
}

async function factsIn(store: EventStore, query: FactQuery): Promise<Page<Fact>> {
  return (await store.facts?.(query)) ?? { items: [] };
}

function cutting(log: LogReader): LogReader {
  return { ...log, range: (from, to) => mapped(log.range(from, to), (text) => text.slice(0, 40_000)) };
}

/** The JSON of any value. */
function safeText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    return 'null';
  }
}

/** Keeps one snapshot, as it was given. */
function sharing(): SnapshotCache {
  let kept: Snapshot | undefined;
  return { latest: async () => kept, save: async (_name, snapshot) => void (kept = snapshot) };
}

/** A log without a lease. */
function fakeLog({ proof: _none, ...reader }: LogReader): EventLog {
  const snapshots = { latest: async () => undefined, save: async () => {} };
  const dispose = { [Symbol.asyncDispose]: async () => {} };
  return { ...reader, ...dispose, atomicity: 'all', epoch: 1, append: async () => [], snapshots };
}

/** Every event the child of the one before it. */
function chained(events: readonly NewEvent[]): readonly NewEvent[] {
  return events.map((event, index) => ({ ...event, parentId: events[index - 1]?.id ?? event.parentId }));
}

async function* mapped(events: AsyncIterable<Stored>, change: (text: string) => string): AsyncGenerator<Stored> {
  for await (const event of events) yield { ...event, text: change(event.text) };
}
