import { createHash, timingSafeEqual } from 'node:crypto';
import { type Access, fullAccess, type ScopedKey } from '../../access.ts';
import { ServerError } from '../../error.ts';

/** Returns true for one of the keys of a server. Its duration does not depend on the keys. */
export type KeyCheck = (key: string) => boolean;

/** Returns the check of keys with all rights. @throws {ServerError} `invalid` as {@link keyAccess}, and for none. */
export function keyCheck(keys: readonly string[]): KeyCheck {
  if (keys.length === 0) throw new ServerError('invalid', 'A server needs at least one key.');
  const accessOf = keyAccess(fullKeys(keys));
  return (key) => accessOf(key) !== undefined;
}

/** Returns keys with all rights. */
export function fullKeys(keys: readonly string[]): readonly ScopedKey[] {
  return keys.map((key) => ({ key, ...fullAccess }));
}

/**
 * Returns the rights of a key, undefined for an unknown one. The duration does not depend on the keys.
 *
 * @throws {ServerError} `invalid` if there is one that a header cannot contain.
 */
export function keyAccess(keys: readonly ScopedKey[]): (key: string) => Access | undefined {
  if (!keys.every(({ key }) => /^[\x21-\x7E]+$/.test(key))) {
    throw new ServerError('invalid', 'A key is empty or holds a character that no HTTP header can carry.');
  }
  const known = keys.map(({ key, ...access }) => ({ access, digest: digestOf(key) }));
  return (received) => {
    const seen = digestOf(received);
    return known.flatMap(({ access, digest }) => (timingSafeEqual(digest, seen) ? [access] : []))[0];
  };
}

/** Returns a digest of constant length. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
