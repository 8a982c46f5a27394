import { AgentError, type Conversation } from '@varve/agent';
import { LlmError, type LanguageModel } from '@varve/llm';
import { StorageError } from '@varve/storage';

/** A title that a model is writing. */
export interface PendingTitle extends AsyncDisposable {
  /** Resolves when the title is stored, or there will be none. Never rejects. */
  readonly written: Promise<void>;
}

/** Longest time that a title takes, in milliseconds. */
const maxMs = 30_000;

/**
 * Writes a title for a conversation without one while it runs; disposing it gives the title up. Without a model, and
 * when that fails, the conversation keeps the first line of its first message.
 */
export function writeTitle(conversation: Conversation, model: LanguageModel | undefined): PendingTitle {
  const unwanted = new AbortController();
  const signal = AbortSignal.any([unwanted.signal, AbortSignal.timeout(maxMs)]);
  const written = (async () => {
    if (model) await conversation.generateTitle({ when: 'untitled', model, signal }).catch(ignoreFailure);
  })();
  return {
    written,
    async [Symbol.asyncDispose]() {
      unwanted.abort();
      await written;
    },
  };
}

/** The run reports failures of the store. */
function ignoreFailure(error: unknown): void {
  if (error instanceof LlmError || error instanceof AgentError || error instanceof StorageError) return;
  throw error;
}
