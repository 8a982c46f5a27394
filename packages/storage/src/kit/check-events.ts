import { StorageError } from '../contract/error.ts';
import type { NewEvent } from '../contract/log.ts';
import { isHash } from '../proof/is-hash.ts';

/**
 * Copies the events of an append, so that the caller may change its own objects afterwards, and refuses what some store
 * could not give back exactly: half surrogate pairs have no UTF-8, and a NUL ends a text in older SQLite bindings. JSON
 * escapes both, so no JSON is refused.
 *
 * @throws {StorageError} `invalid`.
 */
export function checkEvents(events: readonly NewEvent[]): readonly NewEvent[] {
  return events.map(({ id, kind, parentId, text, digest }) => {
    if (id === '') throw new StorageError('invalid', 'The id of an event is empty.');
    for (const [field, value] of Object.entries({ id, kind, parentId: parentId ?? '', text })) {
      if (isExact(value)) continue;
      throw new StorageError('invalid', `The ${field} of event ${JSON.stringify(id)} is not text that can be stored.`);
    }
    if (digest !== undefined && !isHash(digest)) {
      throw new StorageError('invalid', `The digest of event ${JSON.stringify(id)} is none.`);
    }
    return { id, kind, parentId, text, ...(digest !== undefined && { digest }) };
  });
}

function isExact(value: unknown): boolean {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0');
}
