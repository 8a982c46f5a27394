import { StorageError, type StorageErrorCode } from '../contract/error.ts';

/** A conversation that maintenance of a whole store left behind, and why: as the `StorageError` said. */
export interface FailedConversation {
  readonly id: string;
  readonly code: StorageErrorCode;
  readonly message: string;
}

/** Says what failed with one conversation. What would fail with every other as well, and a bug, is thrown again. */
export function failedConversation(id: string, error: unknown): FailedConversation {
  if (!(error instanceof StorageError) || error.code === 'closed') throw error;
  return { id, code: error.code, message: error.message };
}
