import { canonicalId, type EventLog, type EventStore } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { unlessMissing } from '@varve/storage/kit';

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
  return (await unlessMissing(store.summary(id))) !== undefined;
}

/** Returns the id under which a conversation is stored, as `Conversation.open` finds it. */
export async function storedId(store: EventStore, id: string): Promise<string> {
  return (await isStored(store, id)) ? id : canonicalId(id);
}

/** Opens a conversation, or creates it. @throws {StorageError} `held`, `invalid`, `io`. */
export async function openOrCreate(store: EventStore, id: string): Promise<EventLog> {
  const stored = await storedId(store, id);
  return (await unlessMissing(store.open(stored))) ?? store.create(stored, {});
}

/** Log that a state appends to; opened by the first append. */
export class StateLog implements AsyncDisposable {
  readonly #persistence: Persistence;
  readonly #id: string;
  #opened: Promise<EventLog> | undefined;
  #owned: EventStore | undefined;

  constructor(persistence: Persistence, id: string) {
    this.#persistence = persistence;
    this.#id = id;
  }

  /** Resolves to the log, whose lease this object holds from then on. @throws {StorageError} */
  async open(): Promise<EventLog> {
    this.#opened ??= this.#open();
    try {
      return await this.#opened;
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
  }

  /** Releases the lease. */
  async [Symbol.asyncDispose](): Promise<void> {
    const opened = await this.#opened;
    this.#opened = undefined;
    await opened?.[Symbol.asyncDispose]();
    await this.#owned?.[Symbol.asyncDispose]();
  }

  async #open(): Promise<EventLog> {
    if (typeof this.#persistence !== 'string') return openOrCreate(this.#persistence, this.#id);
    this.#owned = await directoryStore({ path: this.#persistence });
    return openOrCreate(this.#owned, this.#id);
  }
}
