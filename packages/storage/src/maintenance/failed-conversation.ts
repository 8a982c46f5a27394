import type { StorageErrorCode } from '../contract/error.ts';

/** A conversation that maintenance of a whole store left behind, and why: as the `StorageError` said. */
export interface FailedConversation {
  readonly id: string;
  readonly code: StorageErrorCode;
  readonly message: string;
}
