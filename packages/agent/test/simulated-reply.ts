import { LlmError, type ModelReply } from '@varve/llm';
import type { Dice } from './dice.ts';

/** Sources of simulated replies. */
export interface ReplySources {
  readonly dice: Dice;
  /** Returns another number each time. */
  readonly tick: () => number;
  /** Returns a secret now and then. */
  readonly leak: () => string;
}

interface SimulatedCall {
  readonly name: string;
  readonly arguments: string;
}

/** Maximum cost and tokens of a reply. */
export const mostOfReply = { costUsd: 0.05, tokens: 120 } as const;

/** Returns the usage of a reply, within {@link mostOfReply}. */
export function simulatedPrice(dice: Dice): Pick<ModelReply, 'usage' | 'costUsd'> {
  const [input_tokens, output_tokens] = [dice.below(100), dice.below(21)];
  const none = { cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 };
  return { usage: { input_tokens, output_tokens, ...none }, costUsd: (dice.below(5) + 1) / 100 };
}

/** Returns a reply: calls, also invalid ones, text, or nothing. @throws {LlmError} for simulated failures. */
export function simulatedReply(sources: ReplySources): ModelReply {
  const { dice, leak } = sources;
  const what = dice.below(20);
  if (what === 0) throw new LlmError('context-overflow', 'Too long.');
  if (what === 1) throw new LlmError('unavailable', 'Not there.');
  if (what === 2) throw new LlmError(dice.of(['empty', 'truncated']), 'Nothing.');
  if (what === 3) return textReply('', 'stop', sources);
  if (what === 4) return textReply('Half a', 'length', sources);
  if (what === 5) return textReply(`That is all${leak()}.`, 'stop', sources);
  const calls = Array.from({ length: dice.below(4) + 1 }, () => callOf(sources));
  return called(calls, what === 6 ? 'length' : 'tool-calls', sources);
}

/** Returns a reply that ends the work. */
export function finishingReply(sources: ReplySources): ModelReply {
  return called([{ name: 'finish', arguments: '{"message":"Done."}' }], 'tool-calls', sources);
}

function callOf({ dice, tick, leak }: ReplySources): SimulatedCall {
  const text = `t${tick()}`;
  const what = dice.below(12);
  if (what === 0) return { name: 'finish', arguments: '{"message":"Done."}' };
  if (what === 1) return { name: 'nothing', arguments: '{}' };
  if (what === 2) return { name: 'record', arguments: '{"wrong": 1}' };
  if (what === 3) return { name: 'record', arguments: `{"text": "${text}` };
  if (what === 4) return { name: 'peek', arguments: '{"text": "always the same"}' };
  if (what < 7) return { name: 'peek', arguments: JSON.stringify({ text: `${text}${leak()}` }) };
  const security_risk = dice.of(['LOW', 'HIGH', undefined]);
  return { name: 'record', arguments: JSON.stringify({ security_risk, text }) };
}

function called(calls: readonly SimulatedCall[], finish: ModelReply['finish'], { tick }: ReplySources): ModelReply {
  const tool_calls = calls.map((call) => ({ id: `call_${tick()}`, origin: 'completion' as const, ...call }));
  return replyOf({ role: 'assistant', content: [], tool_calls, thinking_blocks: [] }, finish, tick);
}

function textReply(words: string, finish: ModelReply['finish'], { tick }: ReplySources): ModelReply {
  const content = words === '' ? [] : [{ cache_prompt: false, type: 'text' as const, text: words }];
  const reasoning = words === '' ? { reasoning_content: 'Hm.' } : {};
  return replyOf({ role: 'assistant', content, ...reasoning, thinking_blocks: [] }, finish, tick);
}

function replyOf(message: ModelReply['message'], finish: ModelReply['finish'], tick: () => number): ModelReply {
  return { id: `reply_${tick()}`, model: 'simulated', message, finish, latencyMs: 1, attempts: 1 };
}
