import type { Json } from '@varve/events';
import { StorageError } from '../contract/error.ts';
import type { Fact, FactQuery } from '../contract/facts.ts';
import type { LogReader } from '../contract/log-reader.ts';
import type { EventLog } from '../contract/log.ts';
import type { EventStore, ListQuery, Page, Summary } from '../contract/store.ts';
import { checkId } from '../kit/checks.ts';
import { jsonText } from '../kit/json.ts';
import { scanFacts } from '../kit/facts.ts';
import { compareSummaries, parseQuery, toPage } from '../kit/listing.ts';
import { readerOf } from '../kit/reader.ts';
import { wakeups } from '../kit/wakeups.ts';
import type { MemoryConversation } from './memory-conversation.ts';
import { memoryLog, memorySource } from './memory-log.ts';

/** How a memory store differs from the usual. */
export interface MemoryStoreOptions {
  /** UTC milliseconds; default `Date.now`. */
  readonly now?: () => number;
}

/**
 * Keeps conversations in this process, and all of them until the store is disposed. A lease lasts until its log is
 * disposed: nobody here can die alone.
 */
export function memoryStore({ now = Date.now }: MemoryStoreOptions = {}): EventStore {
  return new MemoryStore(now);
}

class MemoryStore implements EventStore {
  readonly #now: () => number;
  readonly #conversations = new Map<string, MemoryConversation>();
  readonly #logs = new Set<EventLog>();
  readonly #closing = new AbortController();
  readonly #wake = wakeups();

  constructor(now: () => number) {
    this.#now = now;
  }

  async create(id: string, meta: Json): Promise<EventLog> {
    this.#checkOpen();
    checkId(id);
    if (this.#conversations.has(id)) throw new StorageError('exists', `There is a conversation ${id} already.`);
    const kept = newConversation(id, jsonText('meta', meta), this.#now());
    this.#conversations.set(id, kept);
    return this.#lease(kept);
  }

  async open(id: string): Promise<EventLog> {
    return this.#lease(this.#find(id));
  }

  async read(id: string): Promise<LogReader> {
    return readerOf(memorySource(this.#find(id), this.#wake, this.#closing.signal));
  }

  async list(query: ListQuery = {}): Promise<Page<Summary>> {
    this.#checkOpen();
    const { limit, after } = parseQuery(query);
    const places = [...this.#conversations.values()].toSorted(compareSummaries);
    const rest = after ? places.filter((kept) => compareSummaries(after, kept) < 0) : places;
    return toPage(rest.slice(0, limit + 1).map(toSummary), limit);
  }

  async summary(id: string): Promise<Summary> {
    return toSummary(this.#find(id));
  }

  async facts(query: FactQuery): Promise<Page<Fact>> {
    return scanFacts(this, query);
  }

  async remove(id: string): Promise<void> {
    const kept = this.#find(id);
    checkFree(kept);
    this.#conversations.delete(id);
    kept.isRemoved = true;
    this.#wake.fire(id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    for (const log of this.#logs) await log[Symbol.asyncDispose]();
    this.#conversations.clear();
    this.#wake.fireAll();
  }

  #checkOpen(): void {
    if (this.#closing.signal.aborted) throw new StorageError('closed', 'The store is closed.');
  }

  #find(id: string): MemoryConversation {
    this.#checkOpen();
    checkId(id);
    const kept = this.#conversations.get(id);
    if (!kept) throw new StorageError('missing', `There is no conversation ${id}.`);
    return kept;
  }

  #lease(kept: MemoryConversation): EventLog {
    checkFree(kept);
    kept.isHeld = true;
    kept.epoch += 1;
    const onClose = (): void => void this.#logs.delete(log);
    const log = memoryLog(kept, { now: this.#now, wake: this.#wake, onClose });
    this.#logs.add(log);
    return log;
  }
}

function newConversation(id: string, meta: string, at: number): MemoryConversation {
  const times = { createdAt: at, updatedAt: at };
  const contents = {
    events: [],
    seqs: new Map<string, number>(),
    seals: [],
    statements: [],
    snapshots: new Map<string, Map<number, string>>(),
  };
  return { id, meta, ...times, ...contents, epoch: 0, isHeld: false, isRemoved: false };
}

function checkFree(kept: MemoryConversation): void {
  if (kept.isHeld) throw new StorageError('held', `Conversation ${kept.id} is held by another log of this store.`);
}

function toSummary({ id, createdAt, updatedAt, events, meta }: MemoryConversation): Summary {
  return { id, createdAt, updatedAt, head: events.length, meta: JSON.parse(meta) };
}
