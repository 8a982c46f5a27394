import { StorageError } from '../contract/error.ts';
import type { TextReplacement } from '../contract/log-proof.ts';
import type { Stored } from '../contract/log-reader.ts';
import type { NewEvent } from '../contract/log.ts';
import type { Statement } from '../contract/statement.ts';
import { digestOf, isSha256Hex } from '../proof/hash-chain.ts';
import { parseStatement } from '../proof/parse-statement.ts';

const pattern = /^[0-9A-Za-z_-]{1,64}$/;

/** Whether an id may be that of a conversation. */
export function isId(id: string): boolean {
  return typeof id === 'string' && pattern.test(id);
}

/** Refuses an id that no store accepts for a conversation. @throws {StorageError} `invalid`. */
export function checkId(id: string): void {
  if (!isId(id)) throw new StorageError('invalid', `${JSON.stringify(id)} is not the id of a conversation.`);
}

/** Refuses what is not an integer of 0 or more. @throws {StorageError} `invalid`, naming `what` and the value. */
export function checkBound(what: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new StorageError('invalid', `The ${what} ${String(value)} is not an integer of 0 or more.`);
  }
}

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
    if (digest !== undefined && !isSha256Hex(digest)) {
      throw new StorageError('invalid', `The digest of event ${JSON.stringify(id)} is none.`);
    }
    return { id, kind, parentId, text, ...(digest !== undefined && { digest }) };
  });
}

function isExact(value: unknown): boolean {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0');
}

/** Copies the statements of an append. @throws {StorageError} `invalid` for what is none. */
export function checkStatements(statements: readonly Statement[] = []): readonly Statement[] {
  return statements.map((statement) => {
    const parsed = parseStatement(statement);
    if (!parsed) throw new StorageError('invalid', 'What was to be kept beside the log is no statement.');
    return parsed;
  });
}

/** Refuses replacements that their tombstones do not tell of. @throws {StorageError} `invalid`, `missing`. */
export function checkReplacements(
  id: string,
  replacements: readonly TextReplacement[],
  find: (seq: number) => Stored | undefined,
): void {
  for (const { tombstone, text } of replacements) {
    const { seq, is } = tombstone;
    const event = find(seq);
    if (!event) throw new StorageError('missing', `Conversation ${id} has no event ${seq}.`);
    const isTold = parseStatement(tombstone) !== undefined && digestOf({ ...event, text }) === is;
    if (isTold && Buffer.byteLength(text) === Buffer.byteLength(event.text)) continue;
    throw new StorageError(
      'invalid',
      `The new text of event ${seq} of conversation ${id} is not what its tombstone says.`,
    );
  }
}
