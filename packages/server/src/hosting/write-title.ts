import { AgentError, type Conversation } from '@varve/agent';
import { LlmError } from '@varve/llm';
import type { Configuration } from './info/configuration-fact.ts';
import type { TitleModel } from '../settings/title-model.ts';

/** Whether a title still is to be written: when the conversation has no message yet. */
export type TitleOutcome = 'done' | 'early';

/**
 * Lets a model name a conversation that has no title, unless its client wants none. Titles that a person or a client
 * set are kept, also during the call. A client that names a profile gets the title of the agent's model if that profile
 * cannot be used; without a profile and without `roles.title`, the first line of the first message stays the title.
 *
 * @see agent-server 1.43.1 autotitle and title_llm_profile
 */
export async function writeTitle(
  conversation: Conversation,
  configuration: Configuration | undefined,
  titleModel: TitleModel,
): Promise<TitleOutcome> {
  if (!configuration || configuration.request?.['autotitle'] === false) return 'done';
  const { title_llm_profile: profile } = configuration;
  const model = await titleModel(profile);
  if (!model && profile === undefined) return 'done';
  try {
    await conversation.generateTitle({ when: 'untitled', ...(model && { model }) });
    return 'done';
  } catch (error) {
    if (error instanceof AgentError && error.code === 'nothing-to-do') return 'early';
    // The conversation was closed during the call.
    if (error instanceof LlmError || (error instanceof AgentError && error.code === 'closed')) return 'done';
    throw error;
  }
}
