import { text, type BaseEvent } from '@varve/events';
import type { ModelReply, ModelRequest } from '@varve/llm';
import type { CondenseContext, TokenCounter } from '../condenser.ts';

/** Counter that estimates a token for every four characters of an event's JSON. */
export const characterTokens: TokenCounter = {
  request: (events) => events.reduce((sum, event) => sum + tokensOf(event), 0),
  event: (event) => tokensOf(event),
};

/** Answer of a model to a request of a condenser: the text of its message, or the calls that it makes. */
export type CondenserReply = string | { readonly name: string; readonly arguments: object };

/** Returns a model call that always answers the same; `onCall` receives each request. */
export function fixedReply(
  reply: CondenserReply = 'Summary of the earlier events.',
  onCall: (request: ModelRequest) => void = () => undefined,
): CondenseContext['callModel'] {
  let calls = 0;
  return (request) => {
    onCall(request);
    return Promise.resolve(replyOf(reply, `reply-${++calls}`));
  };
}

/** Returns a context for tests: a check without a limit, and a model that always writes the same summary. */
export function condenseContext(options: Partial<CondenseContext> = {}): CondenseContext {
  return {
    signal: new AbortController().signal,
    reason: 'check',
    tokens: characterTokens,
    callModel: fixedReply(),
    failures: 0,
    ...options,
  };
}

function tokensOf(event: BaseEvent): number {
  return Math.ceil(JSON.stringify(event).length / 4);
}

function replyOf(reply: CondenserReply, id: string): ModelReply {
  const call = typeof reply === 'string' ? undefined : reply;
  const content = typeof reply === 'string' && reply !== '' ? [text(reply)] : [];
  const tool_calls = call && [
    { id: `${id}-call`, name: call.name, arguments: JSON.stringify(call.arguments), origin: 'completion' as const },
  ];
  return {
    id,
    model: 'fixed',
    message: { role: 'assistant', content, thinking_blocks: [], ...(tool_calls && { tool_calls }) },
    finish: call ? 'tool-calls' : 'stop',
    latencyMs: 1,
    attempts: 1,
  };
}
