import { createHash, timingSafeEqual } from 'node:crypto';
import { ServerError } from '../../error.ts';

/** Returns true for one of the keys of a server. Its duration does not depend on the keys. */
export type KeyCheck = (key: string) => boolean;

/** @throws {ServerError} `invalid` if there is no key, or one that a header cannot contain. */
export function keyCheck(keys: readonly string[]): KeyCheck {
  if (keys.length === 0) throw new ServerError('invalid', 'A server needs at least one key.');
  if (!keys.every((key) => /^[\x21-\x7E]+$/.test(key))) {
    throw new ServerError('invalid', 'A key is empty or holds a character that no HTTP header can carry.');
  }
  const known = keys.map(digest);
  return (received) => {
    const seen = digest(received);
    return known.filter((key) => timingSafeEqual(key, seen)).length > 0;
  };
}

/** Returns a digest of constant length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
