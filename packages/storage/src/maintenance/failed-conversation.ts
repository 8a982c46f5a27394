import { StorageError, type StorageErrorCode } from '../contract/error.ts';

/** A conversation that a maintenance task could not process, with the code and message of the `StorageError`. */
export interface FailedConversation {
  readonly id: string;
  readonly code: StorageErrorCode;
  readonly message: string;
}

/**
 * Converts an error to a `FailedConversation`. Rethrows `closed`, which every other conversation would get too, and
 * bugs.
 */
export function failedConversation(id: string, error: unknown): FailedConversation {
  if (!(error instanceof StorageError) || error.code === 'closed') throw error;
  return { id, code: error.code, message: error.message };
}
