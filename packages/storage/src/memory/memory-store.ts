import type { Json } from '@varve/events';
import { StorageError } from '../contract/error.ts';
import type { Fact, FactQuery } from '../contract/facts.ts';
import type { EventLog } from '../contract/log.ts';
import type { LogReader } from '../contract/log-reader.ts';
import type { CountQuery, EventStore, ListQuery, Page, RemoveOptions, Summary } from '../contract/store.ts';
import { checkExpectedMeta, checkOwnerName, checkStoreOpen } from '../kit/checks.ts';
import { checkId } from '../kit/conversation-id.ts';
import { scanFacts } from '../kit/facts.ts';
import { jsonText } from '../kit/json.ts';
import { listingOf, type LoadedListing } from '../kit/listing.ts';
import { readerOf } from '../kit/reader.ts';
import { wakeups } from '../kit/wakeups.ts';
import { type MemoryConversation, newConversation, summaryOf } from './memory-conversation.ts';
import { memoryLog, memorySource } from './memory-log.ts';

/** Options of `memoryStore`. */
export interface MemoryStoreOptions {
  /** UTC milliseconds; default `Date.now`. */
  readonly now?: () => number;
}

/**
 * Creates a store that keeps all conversations in this process until it is disposed. A lease lasts until its log is
 * disposed: its holder cannot die without the store.
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

  async create(id: string, meta: Json, options?: Pick<Summary, 'owner'>): Promise<EventLog> {
    checkStoreOpen(this.#closing.signal);
    checkId(id);
    const owner = checkOwnerName(options);
    if (this.#conversations.has(id)) throw new StorageError('exists', `There is a conversation ${id} already.`);
    const conversation = newConversation(id, jsonText('meta', meta), { owner, at: this.#now() });
    this.#conversations.set(id, conversation);
    return this.#lease(conversation);
  }

  async open(id: string): Promise<EventLog> {
    return this.#lease(this.#find(id));
  }

  async read(id: string): Promise<LogReader> {
    return readerOf(memorySource(this.#find(id), this.#wake, this.#closing.signal));
  }

  async list(query: ListQuery = {}): Promise<Page<Summary>> {
    checkStoreOpen(this.#closing.signal);
    return this.#listing.list(query);
  }

  async count(query: CountQuery = {}): Promise<number> {
    checkStoreOpen(this.#closing.signal);
    return this.#listing.count(query);
  }

  async summary(id: string): Promise<Summary> {
    return summaryOf(this.#find(id));
  }

  async facts(query: FactQuery): Promise<Page<Fact>> {
    return scanFacts(this, query);
  }

  async remove(id: string, options: RemoveOptions = {}): Promise<void> {
    const conversation = this.#find(id);
    checkFree(conversation);
    checkExpectedMeta(id, options, () => summaryOf(conversation).meta);
    this.#conversations.delete(id);
    conversation.isRemoved = true;
    this.#wake.fire(id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    for (const log of this.#logs) await log[Symbol.asyncDispose]();
    this.#conversations.clear();
    this.#wake.fireAll();
  }

  get #listing(): LoadedListing {
    return listingOf([...this.#conversations.values()], summaryOf);
  }

  #find(id: string): MemoryConversation {
    checkStoreOpen(this.#closing.signal);
    checkId(id);
    const conversation = this.#conversations.get(id);
    if (!conversation) throw new StorageError('missing', `There is no conversation ${id}.`);
    return conversation;
  }

  #lease(conversation: MemoryConversation): EventLog {
    checkFree(conversation);
    conversation.isHeld = true;
    conversation.epoch += 1;
    const onClose = (): void => void this.#logs.delete(log);
    const log = memoryLog(conversation, { now: this.#now, wake: this.#wake, onClose });
    this.#logs.add(log);
    return log;
  }
}

function checkFree({ id, isHeld }: MemoryConversation): void {
  if (isHeld) throw new StorageError('held', `Conversation ${id} is held by another log of this store.`);
}
