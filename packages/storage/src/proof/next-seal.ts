import { createHash } from 'node:crypto';

/**
 * The seal of an event: the SHA-256 of the seal before it and of its digest, 32 bytes each; 64 hexadecimal digits. So a
 * seal holds for all events up to its own, and an event whose text was scrubbed keeps its seal.
 */
export function nextSeal(previous: string, digest: string): string {
  return createHash('sha256').update(previous, 'hex').update(digest, 'hex').digest('hex');
}
