import { isDeepStrictEqual } from 'node:util';
import type { Json } from '@varve/events';
import { StorageError } from '../contract/error.ts';
import type { TextReplacement } from '../contract/log-proof.ts';
import type { Stored } from '../contract/log-reader.ts';
import type { RemoveOptions, Summary } from '../contract/store.ts';
import { digestOf } from '../proof/hash-chain.ts';
import { parseStatement } from '../proof/parse-statement.ts';

/**
 * Rejects a value other than an integer of 0 or more.
 *
 * @throws {StorageError} `invalid`, naming `what` and the value.
 */
export function checkBound(what: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new StorageError('invalid', `The ${what} ${String(value)} is not an integer of 0 or more.`);
  }
}

/** Rejects a removal whose condition the conversation does not meet. @throws {StorageError} `conflict`. */
export function checkExpectedMeta(id: string, { expectedMeta }: RemoveOptions, readMeta: () => Json): void {
  if (expectedMeta === undefined || isDeepStrictEqual(readMeta(), JSON.parse(JSON.stringify(expectedMeta)))) return;
  throw new StorageError('conflict', `Conversation ${id} has another meta than expected, so it is not removed.`);
}

/** Returns the owner of a new conversation, empty without one. @throws {StorageError} `invalid`. */
export function checkOwnerName({ owner = '' }: Pick<Summary, 'owner'> = {}): string {
  if (/^[\x21-\x7E]{0,200}$/.test(owner)) return owner;
  throw new StorageError('invalid', `The owner ${JSON.stringify(owner)} is not visible ASCII of up to 200 characters.`);
}

/** Rejects a call after its log was disposed. @throws {StorageError} `closed`. */
export function checkLogOpen(id: string, closed: AbortSignal): void {
  if (closed.aborted) throw new StorageError('closed', `The log of conversation ${id} is closed.`);
}

/** Rejects a call after its store was disposed. @throws {StorageError} `closed`. */
export function checkStoreOpen(closed: AbortSignal): void {
  if (closed.aborted) throw new StorageError('closed', 'The store is closed.');
}

/** Rejects replacements that do not match their tombstones. @throws {StorageError} `invalid`, `missing`. */
export function checkReplacements(
  id: string,
  replacements: readonly TextReplacement[],
  find: (seq: number) => Stored | undefined,
): void {
  for (const { tombstone, text } of replacements) {
    const { seq, is } = tombstone;
    const event = find(seq);
    if (!event) throw new StorageError('missing', `Conversation ${id} has no event ${seq}.`);
    const isDeclared = parseStatement(tombstone) !== undefined && digestOf({ ...event, text }) === is;
    if (isDeclared && Buffer.byteLength(text) === Buffer.byteLength(event.text)) continue;
    const message = `The new text of event ${seq} of conversation ${id} does not match its tombstone.`;
    throw new StorageError('invalid', message);
  }
}
