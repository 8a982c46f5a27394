import { canonicalId, StorageError, type EventStore } from '@varve/storage';

/**
 * Returns the id under which a conversation is stored: the given one, or else its canonical form, under which a
 * UUID with hyphens is stored here. An import keeps the id of its bundle.
 */
export async function storedId(store: EventStore, id: string): Promise<string> {
  const canonical = canonicalId(id);
  if (canonical === id || !(await isStored(store, id))) return canonical;
  return id;
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
