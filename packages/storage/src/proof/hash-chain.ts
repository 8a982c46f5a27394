import { createHash } from 'node:crypto';
import type { EventProof } from '../contract/log-proof.ts';
import type { Stored } from '../contract/log-reader.ts';
import type { NewEvent } from '../contract/log.ts';

const hash = /^[0-9a-f]{64}$/;

/** Whether this is a seal or a digest: 64 hexadecimal digits in small letters. */
export function isSha256Hex(value: unknown): value is string {
  return typeof value === 'string' && hash.test(value);
}

/**
 * The SHA-256 of an event as it was appended, 64 hexadecimal digits: of `[id, kind, parentId]` as JSON, a line feed, and
 * the exact text, in UTF-8.
 */
export function digestOf({ id, kind, parentId, text }: Pick<NewEvent, 'id' | 'kind' | 'parentId' | 'text'>): string {
  const head = JSON.stringify([id, kind, parentId ?? null]);
  return createHash('sha256').update(`${head}\n`).update(text).digest('hex');
}

/** What stands before the seal of event 0: it names the conversation, so that one log cannot pass for another. */
export function firstSeal(conversation: string): string {
  return createHash('sha256').update(`varve.seal.1\n${conversation}`).digest('hex');
}

/**
 * The seal of an event: the SHA-256 of the seal before it and of its digest, 32 bytes each; 64 hexadecimal digits. So a
 * seal holds for all events up to its own, and an event whose text was scrubbed keeps its seal.
 */
export function nextSeal(previous: string, digest: string): string {
  return createHash('sha256').update(previous, 'hex').update(digest, 'hex').digest('hex');
}

/** The digest that the seal of the event holds: of what it was before anybody scrubbed it. */
export function sealedDigest(event: Stored, kept: EventProof | undefined): string {
  const digest = digestOf(event);
  const before = kept?.statements.findLast((statement) => statement.kind === 'tombstone' && statement.is === digest);
  return before?.kind === 'tombstone' ? before.was : digest;
}
