import type { Conversation } from '@varve/agent';
import type { LanguageModel } from '@varve/llm';
import type { PreparedAgent } from '@varve/settings/agent';

/** Longest time that a title takes, in milliseconds. */
const maxTitleMs = 30_000;

/** Returns the model that writes titles; undefined for one that cannot be used, which has been reported. */
export async function titleModelOf(prepared: Pick<PreparedAgent, 'ownModel'>): Promise<LanguageModel | undefined> {
  return prepared.ownModel('title').catch(() => undefined);
}

/** Returns what writes the title of a conversation, which has none without a model. */
export function titleWriterOf(
  conversation: Conversation,
  model: () => Promise<LanguageModel | undefined>,
  onFailure: (error: unknown) => void = () => undefined,
): ReturnType<Conversation['titleWriter']> {
  return conversation.titleWriter({ model: async () => (await model()) ?? 'none', maxMs: maxTitleMs, onFailure });
}
