import { StorageError } from '../contract/error.ts';

const pattern = /^[0-9A-Za-z_-]{1,64}$/;
const uuid = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** Returns true if a text is a valid conversation id: 1 to 64 of the characters `0-9A-Za-z_-`. */
export function isId(id: string): boolean {
  return typeof id === 'string' && pattern.test(id);
}

/** Rejects an invalid conversation id. @throws {StorageError} `invalid`. */
export function checkId(id: string): void {
  if (isId(id)) return;
  const rule = '1 to 64 letters, digits, hyphens and underscores';
  throw new StorageError('invalid', `${JSON.stringify(id)} is not the id of a conversation: ${rule}.`);
}

/**
 * Returns the form under which new conversations are stored: a UUID, with or without hyphens, as 32 lower-case hex
 * digits, and any other id unchanged.
 */
export function canonicalId(id: string): string {
  return uuid.test(id) ? id.replaceAll('-', '').toLowerCase() : id;
}
