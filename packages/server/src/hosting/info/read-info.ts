import type { Summary } from '@varve/storage';
import type { ConversationInfo } from './conversation-info.ts';
import type { ConversationSources } from './conversation-sources.ts';
import { conversationInfoOf, type InfoOptions } from './info-of.ts';

/** Reads the info of a conversation. @throws {StorageError} `missing` if it was removed concurrently, `io`. */
export async function readInfo(
  summary: Summary,
  { store, folds }: Pick<ConversationSources, 'store' | 'folds'>,
  options: Pick<InfoOptions, 'includeSkills'>,
): Promise<ConversationInfo> {
  const directory = store.directoryOf?.(summary.id);
  return conversationInfoOf(summary, await folds.of(summary), { ...options, directory });
}
