import { canonicalId, StorageError, type EventLog, type EventStore } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';

/** Store of a state: a store that the caller owns, or the path of a directory. */
export type Persistence = EventStore | string;

/** Calls `use` with a store, and disposes it afterwards if it is a directory. */
export async function withStore<Result>(
  persistence: Persistence,
  use: (store: EventStore) => Promise<Result>,
): Promise<Result> {
  if (typeof persistence !== 'string') return use(persistence);
  await using store = await directoryStore({ path: persistence });
  return await use(store);
}

/** Returns true if a store has a conversation. @throws {StorageError} `invalid`, `io`. */
export async function isStored(store: EventStore, id: string): Promise<boolean> {
  try {
    await store.summary(id);
    return true;
  } catch (error) {
    if (error instanceof StorageError && error.code === 'missing') return false;
    throw error;
  }
}

/** Returns the id under which a conversation is stored, as `Conversation.open` finds it. */
export async function storedId(store: EventStore, id: string): Promise<string> {
  return (await isStored(store, id)) ? id : canonicalId(id);
}

/** Opens a conversation, or creates it. @throws {StorageError} `held`, `invalid`, `io`. */
export async function openOrCreate(store: EventStore, id: string): Promise<EventLog> {
  const stored = await storedId(store, id);
  return store.open(stored).catch((error: unknown) => {
    if (error instanceof StorageError && error.code === 'missing') return store.create(stored, {});
    throw error;
  });
}

/** Log that a state appends to; opened by the first append. */
export class StateLog implements AsyncDisposable {
  readonly #persistence: Persistence;
  readonly #id: string;
  #opened: Promise<{ readonly log: EventLog; readonly store: EventStore }> | undefined;

  constructor(persistence: Persistence, id: string) {
    this.#persistence = persistence;
    this.#id = id;
  }

  /** Resolves to the log, whose lease this object holds from then on. @throws {StorageError} */
  async open(): Promise<EventLog> {
    this.#opened ??= this.#open();
    try {
      return (await this.#opened).log;
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
  }

  /** Releases the lease. */
  async [Symbol.asyncDispose](): Promise<void> {
    const opened = await this.#opened;
    this.#opened = undefined;
    await opened?.log[Symbol.asyncDispose]();
    if (typeof this.#persistence === 'string') await opened?.store[Symbol.asyncDispose]();
  }

  async #open(): Promise<{ readonly log: EventLog; readonly store: EventStore }> {
    const store =
      typeof this.#persistence === 'string' ? await directoryStore({ path: this.#persistence }) : this.#persistence;
    return { log: await openOrCreate(store, this.#id), store };
  }
}
