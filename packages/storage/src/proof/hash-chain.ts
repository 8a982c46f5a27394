import { hash } from 'node:crypto';
import type { Stored } from '../contract/log-reader.ts';
import type { NewEvent } from '../contract/log.ts';
import type { Statement, Tombstone } from '../contract/statement.ts';

const sha256Hex = /^[0-9a-f]{64}$/;

/** Returns true for a seal or a digest: 64 lower-case hexadecimal digits. */
export function isSha256Hex(value: unknown): value is string {
  return typeof value === 'string' && sha256Hex.test(value);
}

/**
 * Returns the SHA-256 of an event as it was appended, as 64 hexadecimal digits. The hash covers `[id, kind, parentId]`
 * as JSON, a line feed, and the exact text, in UTF-8.
 */
export function digestOf({ id, kind, parentId, text }: Pick<NewEvent, 'id' | 'kind' | 'parentId' | 'text'>): string {
  const head = JSON.stringify([id, kind, parentId ?? null]);
  return hash('sha256', `${head}\n${text}`);
}

/**
 * Returns the start of the hash chain, used as the seal before event 0. It depends on the conversation id, so that one
 * log cannot be passed off as another.
 */
export function firstSeal(conversation: string): string {
  return hash('sha256', `varve.seal.1\n${conversation}`);
}

/**
 * Returns the seal of an event as 64 hexadecimal digits: the SHA-256 of the previous seal and the event's digest, 32
 * bytes each. A seal therefore covers all events up to its own, and an event whose text was scrubbed keeps its seal.
 */
export function nextSeal(previous: string, digest: string): string {
  return hash('sha256', Buffer.from(previous + digest, 'hex'));
}

/** Returns the digest that the event was sealed with, which is that of its original text if it was scrubbed since. */
export function sealedDigest(event: Stored, statements: readonly Statement[] = []): string {
  const digest = digestOf(event);
  return tombstonesFor(digest, statements).at(-1)?.was ?? digest;
}

/**
 * Returns the tombstones that lead from a text with this digest back to the original one, the latest first: of each
 * text the latest one. Each is the claim of its own signer.
 */
export function tombstonesFor(digest: string, statements: readonly Statement[]): readonly Tombstone[] {
  const tombstones: Tombstone[] = [];
  const byText = new Map<string, Tombstone>();
  for (const statement of statements) if (statement.kind === 'tombstone') byText.set(statement.is, statement);
  for (let next = byText.get(digest); next; next = byText.get(next.was)) {
    tombstones.push(next);
    // Forged tombstones may be a circle.
    byText.delete(next.is);
  }
  return tombstones;
}
