import { randomUUID } from 'node:crypto';
import { text, type Message, type ToolCall } from '@varve/events';
import { type LlmErrorCode, LlmError } from '../error.ts';
import type { ModelReply } from '../model-reply.ts';
import { chatAssembly, type AssembledReply } from '../chat/assembly.ts';
import type { AssembledCall } from '../chat/call-assembly.ts';
import { finishReasonOf } from './finish-of.ts';
import { usageOf, type UsageAndCost } from './usage-of.ts';

/** A reply without what only the one who sent the request knows. */
export type AssembledModelReply = Omit<ModelReply, 'latencyMs' | 'attempts'>;

/** What reading an answer depends on beside the answer. */
export interface ReplySettings {
  /** The model that was asked: named where the answer names none. */
  readonly model: string;
  /** Noted on opaque data, which must go back to nobody else; the model when absent. */
  readonly origin?: string;
  readonly contextWindow?: number;
  /** Called for each id that the provider left out. Must return a new one each time. */
  readonly newId?: () => string;
}

/**
 * The reply in a chat completion that was not streamed.
 *
 * @throws {LlmError} `malformed-reply`, `empty`, `truncated`, `context-overflow`, `refused` or `unavailable` when it holds
 * no usable reply.
 */
export function fromWire(answer: unknown, settings: ReplySettings): AssembledModelReply {
  const whole = chatAssembly();
  whole.push(answer);
  whole.end();
  return replyOf(whole.result(), settings);
}

/** The reply in an assembled answer. @throws {LlmError} as {@link fromWire} does. */
export function replyOf(answer: AssembledReply, settings: ReplySettings): AssembledModelReply {
  const { model, origin = model, newId = () => randomUUID().replaceAll('-', '') } = settings;
  const spent = usageOf(answer.usage);
  const problem = problemOf(answer, spent, settings);
  if (problem) throw new LlmError(problem, `${settings.model} ${problems[problem]}`);
  const calls = toolCalls(answer.calls, { origin, newId });
  return {
    id: answer.id || `reply_${newId()}`,
    model: answer.model || settings.model,
    message: messageOf(answer, calls, origin),
    finish: finishReasonOf(answer.finish, calls.length > 0),
    ...spent,
  };
}

type Problem = LlmErrorCode & keyof typeof problems;

const problems = {
  'malformed-reply': 'gave an answer without a readable choice.',
  unavailable: 'broke off its reply with an error.',
  'context-overflow': 'was given more than fits into its context window.',
  refused: 'gave nothing: the provider withheld the reply for its content policy.',
  truncated: 'reached the output limit before it said anything usable.',
  empty: 'gave an empty reply.',
} as const;

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
  if (answer.calls.length > 0 || answer.text.trim() !== '') return undefined;
  const reason = finishReasonOf(finish, false);
  if (reason === 'content-filter') return 'refused';
  if (reason !== 'length') return answer.reasoning === '' ? 'empty' : undefined;
  const isFull = usage && contextWindow !== undefined && usage.input_tokens >= contextWindow * 0.99;
  return isFull ? 'context-overflow' : 'truncated';
}

function messageOf(answer: AssembledReply, calls: readonly ToolCall[], origin: string): Message {
  const { reasoning, reasoningDetails, thinkingBlocks } = answer;
  const isSealed = reasoningDetails.length > 0 || thinkingBlocks.length > 0;
  const details = isSealed && {
    origin,
    ...(reasoningDetails.length > 0 && { reasoning_details: reasoningDetails }),
  };
  return {
    role: 'assistant',
    content: answer.text.trim() === '' ? [] : [text(answer.text)],
    ...(calls.length > 0 && { tool_calls: details ? withDetails(calls, details) : calls }),
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    thinking_blocks: thinkingBlocks,
    ...(details && calls.length === 0 && { extra: details }),
  };
}

/** A reply with calls is kept as its calls, so the first of them carries what belongs to all. */
function withDetails(calls: readonly ToolCall[], details: NonNullable<ToolCall['extra']>): readonly ToolCall[] {
  return calls.map((call, index) => (index === 0 ? { ...call, extra: { ...call.extra, ...details } } : call));
}

interface CallSettings {
  readonly origin: string;
  readonly newId: () => string;
}

/** Ids that are missing or repeated are made anew, because results are paired by them. */
function toolCalls(calls: readonly AssembledCall[], { origin, newId }: CallSettings): readonly ToolCall[] {
  const ids = new Set<string>();
  return calls.map(({ id: given, name, arguments: json, extraContent }) => {
    const id = given === undefined || ids.has(given) ? `call_${newId()}` : given;
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
