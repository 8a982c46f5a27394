import { AgentError, type Conversation } from '@varve/agent';
import type { PreparedAgent } from '@varve/settings/agent';
import { StorageError } from '@varve/storage';
import { storeUrl } from '../home/open-configured-store.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import type { RunOptions } from './run-options.ts';

/** Longest time that a title takes, in milliseconds. */
const maxTitleMs = 30_000;

/** Returns what writes the title of a conversation: none if it is not kept, or no model can write it. */
export function titleWriterOf(
  conversation: Conversation,
  prepared: Pick<PreparedAgent, 'ownModel'>,
  { options: { store, demo }, io }: { readonly options: RunOptions; readonly io: TerminalIo },
): ReturnType<Conversation['titleWriter']> {
  return conversation.titleWriter({
    async model() {
      if (demo || (await storeUrl(io, store)) === 'memory:') return 'none';
      // A model that cannot be used has been reported.
      return (await prepared.ownModel('title').catch(() => undefined)) ?? 'none';
    },
    maxMs: maxTitleMs,
    onFailure: throwUnlessReported,
  });
}

/** The run reports failures of the store. */
function throwUnlessReported(error: unknown): void {
  if (!(error instanceof AgentError || error instanceof StorageError)) throw error;
}
