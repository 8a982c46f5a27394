import type { Message } from '@varve/events';
import type { WireAnswerMessage } from './wire-answer.ts';

type Block = Message['thinking_blocks'][number];

/**
 * Adds pieces of `thinking_blocks` to those collected, in place: thinking grows until its signature has come. Signed blocks
 * must go back exactly as put together here.
 *
 * @see https://docs.litellm.ai/docs/reasoning_content
 */
export function mergeThinking(collected: Block[], pieces: WireAnswerMessage['thinking_blocks']): void {
  for (const { type, thinking, signature, data } of pieces) {
    if (type === 'redacted_thinking') collected.push({ type: 'redacted_thinking', data });
    if (type !== 'thinking') continue;
    const last = collected.at(-1);
    const isOpen = last?.type === 'thinking' && last.signature === undefined;
    const whole = (isOpen ? last.thinking : '') + thinking;
    if (isOpen) collected.pop();
    collected.push({ type: 'thinking', thinking: whole, ...(signature !== '' && { signature }) });
  }
}
