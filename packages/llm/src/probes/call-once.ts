import { text } from '@varve/events';
import type { LanguageModel } from '../language-model.ts';
import type { ModelReply } from '../model-reply.ts';

/**
 * Sends one short request without tools and returns the reply: it shows whether key, name and server fit together.
 *
 * @throws {LlmError} as `generate` does.
 */
export async function callOnce(model: LanguageModel, signal: AbortSignal): Promise<ModelReply> {
  return model.generate(
    {
      messages: [{ role: 'user', content: [text('Answer OK.')], thinking_blocks: [] }],
      tools: [],
      parameters: {},
    },
    { signal },
  );
}
