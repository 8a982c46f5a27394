import { createHash } from 'node:crypto';
import type { NewEvent } from '../contract/log.ts';

/**
 * The SHA-256 of an event as it was appended, 64 hexadecimal digits: of `[id, kind, parentId]` as JSON, a line feed, and
 * the exact text, in UTF-8.
 */
export function digestOf({ id, kind, parentId, text }: Pick<NewEvent, 'id' | 'kind' | 'parentId' | 'text'>): string {
  const head = JSON.stringify([id, kind, parentId ?? null]);
  return createHash('sha256').update(`${head}\n`).update(text).digest('hex');
}
