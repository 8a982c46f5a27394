import type { Message, ToolCall } from '@varve/events';
import type { Delta } from '../delta.ts';
import { replyOf, type ReplySettings, type AssembledModelReply } from '../protocol/from-wire.ts';
import type { PartialOutcome } from '../protocol/heard.ts';
import type { ReplyAssembly } from '../protocol/read-answer.ts';
import { usageOf } from '../protocol/usage-of.ts';
import { orderIfUnusual, type ItemOrder } from './item-order.ts';
import { outputAssembly, textOfItem } from './output-assembly.ts';
import { responseEvent, wireResponse, type OutputItem, type WireResponse } from './response-answer.ts';

/** Puts a reply of the Responses protocol together, from its events or from one whole answer. */
export interface ResponseAssembly extends ReplyAssembly {
  /** @throws {LlmError} `malformed-reply`, `empty`, `truncated`, `context-overflow`, `refused` or `unavailable`. */
  reply(settings: ReplySettings): AssembledModelReply;
  heard(): PartialOutcome;
}

/** An empty reply, to be filled from one exchange. */
export function responseAssembly(): ResponseAssembly {
  const output = outputAssembly();
  let last: WireResponse | undefined;
  let finish = '';
  let failure: unknown;

  const end = (response: WireResponse): readonly Delta[] => {
    last = response;
    finish = finishWord(response);
    if (response.status === 'failed') failure = response.error ?? 'The response failed.';
    return response.output.flatMap((item, place) => output.addItem(place, item));
  };
  return {
    get finish() {
      return finish;
    },
    get isDone() {
      return finish !== '';
    },
    get failure() {
      return failure;
    },
    push(raw) {
      const event = responseEvent.safeParse(raw).data;
      if (!event) return [];
      if (event.type === '') return end(wireResponse.parse(raw));
      if (event.type === 'error') failure = raw;
      if (event.response && finals.has(event.type)) return end(event.response);
      last = event.response ?? last;
      const isItem = /^response\.output_item\.(?:added|done)$/.test(event.type);
      return event.item && isItem ? output.addItem(event.output_index, event.item) : output.addPiece(event);
    },
    end: () => [],
    heard: () => ({ text: output.text(), reasoning: output.reasoning(), ...usageOf(usageIn(last)) }),
    reply(settings) {
      const items = output.items();
      const reply = replyOf(
        assembledOf(items, { last, finish, text: output.text(), reasoning: output.reasoning() }),
        settings,
      );
      return { ...reply, message: messageOf(reply.message, items, settings.origin ?? settings.model) };
    },
  };
}

const finals = new Set(['response.completed', 'response.incomplete', 'response.failed', 'response.done']);

/** The reason in the words of the chat protocol. */
function finishWord({ status, incomplete_details: details }: WireResponse): string {
  if (status !== 'incomplete') return status === 'cancelled' ? 'error' : status === 'failed' ? 'error' : 'stop';
  return details?.reason === 'content_filter' ? 'content_filter' : 'length';
}

interface Words {
  readonly last: WireResponse | undefined;
  readonly finish: string;
  readonly text: string;
  readonly reasoning: string;
}

function assembledOf(items: readonly OutputItem[], { last, ...heard }: Words): Parameters<typeof replyOf>[0] {
  return {
    ...heard,
    id: last?.id ?? '',
    model: last?.model ?? '',
    reasoningDetails: [],
    thinkingBlocks: [],
    calls: callsIn(items).map((item) => ({
      id: item.call_id || item.id || undefined,
      name: item.name,
      arguments: item.arguments.trim() === '' ? '{}' : item.arguments,
      extraContent: undefined,
    })),
    usage: usageIn(last),
    hasChoice: items.length > 0 || Boolean(last?.status),
  };
}

function callsIn(items: readonly OutputItem[]): readonly OutputItem[] {
  return items.filter(({ type }) => type === 'function_call');
}

/** Counts under the names of the chat protocol. */
function usageIn(response: WireResponse | undefined): unknown {
  const { usage } = response ?? {};
  return (
    usage && {
      prompt_tokens: usage.input_tokens,
      completion_tokens: usage.output_tokens,
      total_tokens: usage.total_tokens,
      prompt_tokens_details: usage.input_tokens_details,
      completion_tokens_details: usage.output_tokens_details,
      cost: usage.cost,
    }
  );
}

/** A message with what must go back to this protocol: the last reasoning, the ids of items, and an unusual order. */
function messageOf(message: Message, items: readonly OutputItem[], origin: string): Message {
  const calls = message.tool_calls ?? [];
  const order = orderIfUnusual(orderIn(items, calls));
  const reasoning = items.findLast(({ type }) => type === 'reasoning');
  const extra = (order || reasoning) && { origin, ...(order && { responses_items: order }) };
  const ids = callsIn(items).map(({ id }) => id);
  const marked = calls.map((call, index): ToolCall => ({
    ...call,
    origin: 'responses',
    ...(ids[index] && { responses_item_id: ids[index] }),
    ...(index === 0 && extra && { extra }),
  }));
  return {
    ...message,
    ...(marked.length > 0 && { tool_calls: marked }),
    ...(reasoning && { responses_reasoning_item: reasoningOf(reasoning) }),
    ...(marked.length === 0 && extra && { extra }),
  };
}

function reasoningOf({ id, summary, encrypted_content: sealed }: OutputItem) {
  return {
    ...(id !== '' && { id }),
    summary: summary.map(({ text }) => text),
    ...(sealed !== '' && { encrypted_content: sealed }),
  };
}

/** Items that this package cannot send are left out. */
function orderIn(items: readonly OutputItem[], calls: readonly ToolCall[]): ItemOrder {
  let call = 0;
  return items.flatMap((item): ItemOrder => {
    if (item.type === 'reasoning') return [{ type: 'reasoning', ...reasoningOf(item) }];
    if (item.type === 'message') return [{ type: 'message', text: textOfItem(item) }];
    if (item.type !== 'function_call') return [];
    return [{ type: 'function_call', call_id: calls[call++]?.id ?? item.call_id }];
  });
}
