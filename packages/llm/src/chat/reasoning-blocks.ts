import type { Message } from '@varve/events';
import type { WireAnswerMessage } from './wire-answer.ts';

type Detail = Readonly<Record<string, unknown>>;

/**
 * Appends pieces of `reasoning_details` to `collected`, in place: pieces with the same index and type are one item,
 * whose text grows. The items are opaque signed data and must be sent back exactly as assembled here.
 *
 * @see https://openrouter.ai/docs/use-cases/reasoning-tokens
 */
export function mergeDetails(collected: Detail[], pieces: readonly Detail[]): void {
  for (const piece of pieces) {
    const at = piece['index'] === undefined ? -1 : collected.findLastIndex((item) => isSameItem(item, piece));
    const before = collected[at];
    if (before) collected[at] = joinDetails(before, piece);
    else collected.push(piece);
  }
}

function isSameItem(item: Detail, piece: Detail): boolean {
  return item['index'] === piece['index'] && item['type'] === piece['type'];
}

const growingFields = new Set(['text', 'summary', 'data']);

function joinDetails(item: Detail, piece: Detail): Detail {
  const entries = Object.entries(piece).filter(([, value]) => value !== null && value !== undefined);
  const joined = entries.map(([key, value]) => {
    const before = item[key];
    const isGrowing = growingFields.has(key) && typeof before === 'string' && typeof value === 'string';
    return [key, isGrowing ? before + value : value];
  });
  return { ...item, ...Object.fromEntries(joined) };
}

type ThinkingBlock = Message['thinking_blocks'][number];

/**
 * Appends pieces of `thinking_blocks` to `collected`, in place: a block grows until its signature arrives. Signed
 * blocks must be sent back exactly as assembled here.
 *
 * @see https://docs.litellm.ai/docs/reasoning_content
 */
export function mergeThinking(collected: ThinkingBlock[], pieces: WireAnswerMessage['thinking_blocks']): void {
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
