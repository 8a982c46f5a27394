import { StorageError } from '../contract/error.ts';

/** Refuses what is not an integer of 0 or more. @throws {StorageError} `invalid`, naming `what` and the value. */
export function checkBound(what: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new StorageError('invalid', `The ${what} ${String(value)} is not an integer of 0 or more.`);
  }
}
