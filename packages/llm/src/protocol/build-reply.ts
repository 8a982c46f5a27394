import { randomUUID } from 'node:crypto';
import { text, type Message, type ToolCall } from '@varve/events';
import { LlmError, type LlmErrorCode } from '../error.ts';
import type { FinishReason, ModelReply } from '../model-reply.ts';
import { usageOf, type UsageAndCost } from './usage.ts';

/** A call assembled from its pieces. `id` is the provider's, if it sent a usable one. */
export interface AssembledCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly arguments: string;
  readonly extraContent: unknown;
}

/** Content of one response, in the terms of the chat protocol. */
export interface AssembledReply {
  /** Empty when the provider sent none, like `model`. */
  readonly id: string;
  readonly model: string;
  readonly text: string;
  readonly reasoning: string;
  readonly reasoningDetails: readonly Readonly<Record<string, unknown>>[];
  readonly thinkingBlocks: Message['thinking_blocks'];
  readonly calls: readonly AssembledCall[];
  /** Images that the model made, as URLs. Only a reply without calls keeps them. */
  readonly images?: readonly string[];
  /** The provider's finish reason as it was sent; empty when there was none. */
  readonly finish: string;
  /** The last usage object: some servers repeat a growing one with every chunk. */
  readonly usage: unknown;
  /** True when there was any choice, even an empty one. */
  readonly hasChoice: boolean;
  /** Names of the fields of chunks without a choice, for the error when there is none. */
  readonly fields?: readonly string[];
}

/** A model reply without what only the sender of the request knows. */
export type AssembledModelReply = Omit<ModelReply, 'latencyMs' | 'attempts'>;

/** Settings that building a reply depends on. */
export interface ReplySettings {
  /** The requested model, used when the response names none. */
  readonly model: string;
  /** Stored with opaque data, which must be returned to no other origin; the model when absent. */
  readonly origin?: string;
  readonly contextWindow?: number;
  /** Called for each id that the provider left out. Must return a new one each time. */
  readonly newId?: () => string;
}

/**
 * Builds the model reply of an assembled response.
 *
 * @throws {LlmError} `malformed-reply`, `empty`, `truncated`, `context-overflow`, `refused` or `unavailable` when it
 * contains no usable reply.
 */
export function buildReply(received: AssembledReply, settings: ReplySettings): AssembledModelReply {
  const { model, origin = model, newId = () => randomUUID().replaceAll('-', '') } = settings;
  const answer = withoutNamelessCalls(received);
  const usageAndCost = usageOf(answer.usage);
  const problem = problemOf(answer, usageAndCost, settings);
  if (problem) throw new LlmError(problem, `${settings.model} ${descriptionOf(problem, answer)}`);
  const calls = toolCallsOf(answer.calls, { origin, newId });
  return {
    id: answer.id || `reply_${newId()}`,
    model: answer.model || settings.model,
    message: messageOf(answer, calls, origin),
    finish: answer.hasUnreadCall ? 'unread-calls' : finishReasonOf(answer.finish, calls.length > 0),
    ...usageAndCost,
  };
}

/**
 * Leaves out calls without a name, where something else remains: text, or, if they have no arguments either, other
 * calls.
 */
function withoutNamelessCalls(answer: AssembledReply): AssembledReply & { readonly hasUnreadCall: boolean } {
  const named = answer.calls.filter(({ name }) => name !== '');
  const isEmpty = answer.calls.every(({ name, arguments: json }) => name !== '' || json.trim() === '{}');
  const isReadable = named.length > 0 ? isEmpty : answer.text.trim() !== '';
  if (named.length === answer.calls.length || !isReadable) return { ...answer, hasUnreadCall: false };
  return { ...answer, calls: named, hasUnreadCall: !isEmpty };
}

type Problem = LlmErrorCode & keyof typeof problems;

const problems = {
  'malformed-reply': 'sent a response without a readable choice.',
  unavailable: 'ended its reply with an error.',
  'context-overflow': 'received more than its context window holds.',
  refused: 'sent nothing: the provider withheld the reply for its content policy.',
  truncated: 'reached the output limit before any usable output.',
  empty: 'sent an empty reply.',
} as const;

function descriptionOf(problem: Problem, { hasChoice, fields = [], calls }: AssembledReply): string {
  if (problem !== 'malformed-reply') return problems[problem];
  if (hasChoice) {
    return calls.some(({ name }) => name === '') ? 'sent a call without a name.' : 'sent a call that cannot be read.';
  }
  if (fields.length === 0) return problems[problem];
  const names = fields.slice(0, 8).map((name) => JSON.stringify(name.slice(0, 30)));
  return `sent a response without a readable choice: its fields are ${names.join(', ')}.`;
}

function problemOf(
  answer: AssembledReply,
  { usage }: UsageAndCost,
  { contextWindow }: ReplySettings,
): Problem | undefined {
  const { finish } = answer;
  if (!answer.hasChoice || answer.calls.some(({ name }) => name === '')) return 'malformed-reply';
  if (/^(?:error|network_error)$/i.test(finish)) return 'unavailable';
  if (/^malformed_function_call$/i.test(finish)) return 'malformed-reply';
  if (finish === 'model_context_window_exceeded') return 'context-overflow';
  const { calls, text: visible, images = [] } = answer;
  if (calls.length > 0 || visible.trim() !== '' || images.length > 0) return undefined;
  const reason = finishReasonOf(finish, false);
  if (reason === 'content-filter') return 'refused';
  if (reason !== 'length') return answer.reasoning === '' ? 'empty' : undefined;
  const isFull = usage && contextWindow !== undefined && usage.input_tokens >= contextWindow * 0.99;
  return isFull ? 'context-overflow' : 'truncated';
}

/** Spellings of providers and proxies. A map, because a server may send the name of a property of every object. */
const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['end', 'stop'],
  ['eos', 'stop'],
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_calls', 'tool-calls'],
  ['tool_use', 'tool-calls'],
  ['function_call', 'tool-calls'],
  ['function_calls', 'tool-calls'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['content_filter', 'content-filter'],
  ['safety', 'content-filter'],
  ['recitation', 'content-filter'],
]);

/** The presence of calls decides between `stop` and `tool-calls`, because servers confuse the two. */
function finishReasonOf(word: string, hasCalls: boolean): FinishReason {
  const reason = finishReasons.get(word.toLowerCase()) ?? 'unknown';
  if (reason === 'length' || reason === 'content-filter') return reason;
  if (hasCalls) return 'tool-calls';
  return reason === 'tool-calls' ? 'stop' : reason;
}

function messageOf(answer: AssembledReply, calls: readonly ToolCall[], origin: string): Message {
  const { reasoning, reasoningDetails, thinkingBlocks, images = [] } = answer;
  const isOpaque = reasoningDetails.length > 0 || thinkingBlocks.length > 0;
  const details = isOpaque && {
    origin,
    ...(reasoningDetails.length > 0 && { reasoning_details: reasoningDetails }),
  };
  return {
    role: 'assistant',
    content: [
      ...(answer.text.trim() === '' ? [] : [text(answer.text)]),
      ...(images.length === 0 ? [] : [{ type: 'image', image_urls: images, cache_prompt: false } as const]),
    ],
    ...(calls.length > 0 && { tool_calls: details ? withDetails(calls, details) : calls }),
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    thinking_blocks: thinkingBlocks,
    ...(details && calls.length === 0 && { extra: details }),
  };
}

/** A reply with calls is stored as its calls, so the first of them contains the data that belongs to all. */
function withDetails(calls: readonly ToolCall[], details: NonNullable<ToolCall['extra']>): readonly ToolCall[] {
  return calls.map((call, index) => (index === 0 ? { ...call, extra: { ...call.extra, ...details } } : call));
}

/** Missing and repeated ids are replaced by new ones, because results are paired by id. */
function toolCallsOf(
  calls: readonly AssembledCall[],
  { origin, newId }: Required<Pick<ReplySettings, 'origin' | 'newId'>>,
): readonly ToolCall[] {
  const ids = new Set<string>();
  return calls.map(({ id: wireId, name, arguments: json, extraContent }) => {
    const id = wireId === undefined || ids.has(wireId) ? `call_${newId()}` : wireId;
    ids.add(id);
    return {
      id,
      name,
      arguments: json,
      origin: 'completion',
      ...(extraContent !== undefined && extraContent !== null && { extra: { origin, extra_content: extraContent } }),
    };
  });
}
