import type { Json } from '@varve/events';
import { StorageError } from '../contract/error.ts';

/** Returns the JSON of a value. @throws {StorageError} `invalid` if it has none, naming `what`. */
export function jsonText(what: string, value: Json): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new StorageError('invalid', `The ${what} is not JSON.`, { cause });
  }
  if (text === undefined) throw new StorageError('invalid', `The ${what} is not JSON.`);
  return text;
}
