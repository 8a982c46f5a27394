import { StorageError } from '../contract/error.ts';
import { isId } from './is-id.ts';

/** Refuses an id that no store accepts for a conversation. @throws {StorageError} `invalid`. */
export function checkId(id: string): void {
  if (!isId(id)) throw new StorageError('invalid', `${JSON.stringify(id)} is not the id of a conversation.`);
}
