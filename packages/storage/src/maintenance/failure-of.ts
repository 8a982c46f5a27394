import { StorageError } from '../contract/error.ts';
import type { FailedConversation } from './failed-conversation.ts';

/** Says what failed with one conversation. What would fail with every other as well, and a bug, is thrown again. */
export function failedConversation(id: string, error: unknown): FailedConversation {
  if (!(error instanceof StorageError) || error.code === 'closed') throw error;
  return { id, code: error.code, message: error.message };
}
