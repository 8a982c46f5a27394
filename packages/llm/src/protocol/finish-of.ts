import type { FinishReason } from '../model-reply.ts';

/** How providers and proxies word the reasons. */
const reasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  end: 'stop',
  eos: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_calls: 'tool-calls',
  tool_use: 'tool-calls',
  function_call: 'tool-calls',
  function_calls: 'tool-calls',
  length: 'length',
  max_tokens: 'length',
  content_filter: 'content-filter',
  safety: 'content-filter',
  recitation: 'content-filter',
};

/** Why a reply ended. Whether there are calls decides between `stop` and `tool-calls`, for servers mix them up. */
export function finishReasonOf(word: string, hasCalls: boolean): FinishReason {
  const reason = reasons[word.toLowerCase()] ?? 'unknown';
  if (reason === 'length' || reason === 'content-filter') return reason;
  if (hasCalls) return 'tool-calls';
  return reason === 'tool-calls' ? 'stop' : reason;
}
