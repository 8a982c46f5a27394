import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventLog, type EventStore, memoryStore, StorageError, type Summary } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { sqliteStore } from '@varve/storage/sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';

interface Text {
  readonly id: string;
  readonly text: string;
}

const ids = fc.constantFrom('a', 'b', 'C');
const numbers = fc.integer({ min: 0, max: 8 });
const texts = fc.record({
  id: fc.constantFrom('0', '1', '2', '3', '4', '5'),
  text: fc.constantFrom('x', 'x', 'x', 'y'),
});
const append = {
  kind: fc.constant('append' as const),
  id: ids,
  events: fc.array(texts, { maxLength: 4 }),
  expectedHead: numbers,
  meta: numbers,
};

/** Generates a call that needs only an id. */
const withId = <Kind extends string>(kind: Kind) => fc.record({ kind: fc.constant(kind), id: ids });

const operations = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), id: ids, meta: numbers }),
  withId('open'),
  withId('close'),
  withId('remove'),
  { weight: 6, arbitrary: fc.record(append, { requiredKeys: ['kind', 'id', 'events'] }) },
  fc.record({ kind: fc.constant('range' as const), id: ids, from: numbers, to: numbers }),
  fc.record({ kind: fc.constant('at' as const), id: ids, seq: numbers }),
  fc.record({ kind: fc.constant('seqOf' as const), id: ids, event: fc.constantFrom('0', '3', '9') }),
  fc.record({ kind: fc.constant('list' as const), limit: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('tick' as const) }),
  fc.record({ kind: fc.constant('reopen' as const) }),
);

/** A store call as data. */
type Operation = typeof operations extends fc.Arbitrary<infer T> ? T : never;
type OperationOf<Kind extends Operation['kind']> = Extract<Operation, { readonly kind: Kind }>;

/** A simple reference implementation of a store. Each call returns a value or an error code. */
class Model {
  time = 1_000;
  readonly #conversations = new Map<string, { summary: Summary; events: readonly Text[] }>();
  /** State of the latest log of each id. */
  readonly #logs = new Map<string, 'open' | 'closed'>();

  run(operation: Operation): unknown {
    switch (operation.kind) {
      case 'create':
        return this.#create(operation);
      case 'open':
      case 'remove':
        return this.#take(operation);
      case 'close':
        return void (this.#logs.has(operation.id) && this.#logs.set(operation.id, 'closed'));
      case 'append':
        return this.#append(operation);
      case 'range':
      case 'at':
      case 'seqOf':
        return this.#read(operation);
      case 'list':
        return [...this.#conversations.values()].map(({ summary }) => summary).toSorted(newestFirst);
      case 'reopen':
        return this.#logs.clear();
      case 'tick':
        this.time += 1;
    }
    return undefined;
  }

  #create({ id, meta }: OperationOf<'create'>): unknown {
    if (this.#conversations.has(id)) return 'exists';
    const summary = { id, createdAt: this.time, updatedAt: this.time, head: 0, meta };
    this.#conversations.set(id, { summary, events: [] });
    this.#logs.set(id, 'open');
    return 0;
  }

  #take({ kind, id }: OperationOf<'open' | 'remove'>): unknown {
    const head = this.#conversations.get(id)?.events.length;
    if (head === undefined) return 'missing';
    if (this.#logs.get(id) === 'open') return 'held';
    if (kind === 'remove') return void this.#conversations.delete(id);
    this.#logs.set(id, 'open');
    return head;
  }

  #read(operation: OperationOf<'range' | 'at' | 'seqOf'>): unknown {
    const events = this.#conversations.get(operation.id)?.events.map((event, seq) => ({ seq, ...event }));
    if (!events) return 'missing';
    switch (operation.kind) {
      case 'range':
        return events.slice(operation.from, operation.to);
      case 'at':
        return events[operation.seq] ?? 'missing';
      case 'seqOf':
        break;
    }
    return events.find(({ id }) => id === operation.event)?.seq;
  }

  #append({ id, events, expectedHead, meta }: OperationOf<'append'>): unknown {
    const log = this.#logs.get(id);
    if (log !== 'open') return log;
    const { summary, events: stored } = this.#conversations.get(id) ?? fail();
    const old = events.filter((event) => stored.some((other) => other.id === event.id));
    if (old.some((event) => stored.some((other) => other.id === event.id && other.text !== event.text)))
      return 'duplicate';
    if (new Set(events.map((event) => event.id)).size < events.length) return 'duplicate';
    const fresh = events.filter((event) => !old.includes(event));
    const isResend = old.length > 0 && fresh.length === 0;
    if (!isResend && expectedHead !== undefined && expectedHead !== stored.length - old.length) return 'conflict';
    const all = [...stored, ...fresh];
    const updatedAt = fresh.length > 0 || meta !== undefined ? this.time : summary.updatedAt;
    const changed = { ...summary, updatedAt, head: all.length, meta: meta ?? summary.meta };
    this.#conversations.set(id, { summary: changed, events: all });
    return events.map((event) => all.findIndex((other) => other.id === event.id));
  }
}

function newestFirst(a: Summary, b: Summary): number {
  return b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1);
}

function fail(): never {
  throw new Error('The model has a log without a conversation.');
}

/** Runs operations on a store; returns the value or the error code of each. */
class Runner implements AsyncDisposable {
  readonly #logs = new Map<string, EventLog>();
  readonly #openStore: () => Promise<EventStore>;
  #store: EventStore;

  constructor(store: EventStore, openStore: () => Promise<EventStore>) {
    this.#store = store;
    this.#openStore = openStore;
  }

  async run(operation: Operation): Promise<unknown> {
    try {
      if (operation.kind === 'reopen') return await this.#reopen();
      return await this.#call(operation);
    } catch (error) {
      if (error instanceof StorageError) return error.code;
      throw error;
    }
  }

  async #reopen(): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
    this.#logs.clear();
    this.#store = await this.#openStore();
  }

  async #call(operation: Exclude<Operation, OperationOf<'reopen'>>): Promise<unknown> {
    const store = this.#store;
    switch (operation.kind) {
      case 'create':
        return this.#addLog(store.create(operation.id, operation.meta));
      case 'open':
        return this.#addLog(store.open(operation.id));
      case 'close':
        return this.#logs.get(operation.id)?.[Symbol.asyncDispose]();
      case 'append': {
        const { events: batch, ...options } = operation;
        const news = batch.map((event) => ({ ...event, kind: 'K', parentId: undefined }));
        return this.#logs.get(operation.id)?.append(news, options);
      }
      case 'range': {
        const stored = await Array.fromAsync((await store.read(operation.id)).range(operation.from, operation.to));
        return stored.map(({ seq, id, text }) => ({ seq, id, text }));
      }
      case 'at': {
        const { seq, id, text } = await (await store.read(operation.id)).at(operation.seq);
        return { seq, id, text };
      }
      case 'seqOf':
        return (await store.read(operation.id)).seqOf(operation.event);
      case 'list':
        return this.#list(operation.limit);
      case 'remove':
        return store.remove(operation.id);
      case 'tick':
        break;
    }
    return undefined;
  }

  async #addLog(opened: Promise<EventLog>): Promise<number> {
    const log = await opened;
    this.#logs.set(log.id, log);
    return log.head();
  }

  async #list(limit: number): Promise<unknown> {
    let page = await this.#store.list({ limit });
    const items = [...page.items];
    while (page.next !== undefined) {
      page = await this.#store.list({ limit, after: page.next });
      items.push(...page.items);
    }
    return items;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
  }
}

/** Runs the calls on the model and on a store with the model's clock, and compares the results. */
async function expectAgreement(all: readonly Operation[], open: (now: () => number) => Promise<EventStore>) {
  const model = new Model();
  const openStore = async () => open(() => model.time);
  await using runner = new Runner(await openStore(), openStore);
  for (const operation of all) {
    const expected = model.run(operation);
    expect([operation, await runner.run(operation)]).toEqual([operation, expected]);
  }
}

test('the memory store behaves like the model', async () => {
  const withoutReopen = operations.filter(({ kind }) => kind !== 'reopen');
  const property = fc.asyncProperty(fc.array(withoutReopen, { maxLength: 40 }), async (all) =>
    expectAgreement(all, async (now) => memoryStore({ now })),
  );
  await fc.assert(property, { numRuns: 200 });
});

test('the SQLite store behaves like the model', async () => {
  const property = fc.asyncProperty(fc.array(operations, { maxLength: 40 }), async (all) => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    const path = join(directory.path, 'store.db');
    await expectAgreement(all, async (now) => sqliteStore({ path, now, durability: 'buffered' }));
  });
  await fc.assert(property, { numRuns: 60 });
});

test('the directory store behaves like the model', async () => {
  const property = fc.asyncProperty(fc.array(operations, { maxLength: 40 }), async (all) => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    await expectAgreement(all, async (now) => directoryStore({ path: directory.path, now, durability: 'buffered' }));
  });
  await fc.assert(property, { numRuns: 60 });
});
