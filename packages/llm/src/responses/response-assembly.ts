import type { Message, ToolCall } from '@varve/events';
import type { Delta } from '../delta.ts';
import { buildReply, type AssembledReply } from '../protocol/build-reply.ts';
import type { ProtocolAssembly } from '../protocol/protocol.ts';
import { usageOf } from '../protocol/usage.ts';
import { orderIfUnusual, type ItemOrder } from './item-order.ts';
import { outputAssembly, textOfItem } from './output-assembly.ts';
import { responseEvent, wireResponse, type OutputItem, type WireResponse } from './response-answer.ts';

/** Starts the assembly of one response of the Responses protocol, from its events or from one whole response. */
export function responseAssembly(): ProtocolAssembly {
  const output = outputAssembly();
  let last: WireResponse | undefined;
  let finish = '';
  let failure: unknown;

  const end = (response: WireResponse): readonly Delta[] => {
    last = response;
    finish = finishWord(response);
    if (response.status === 'failed') failure = response.error ?? 'The response failed.';
    return response.output.flatMap((item, index) => output.addItem(index, item));
  };
  return {
    get finish() {
      return finish;
    },
    get isDone() {
      return finish !== '';
    },
    get size() {
      return output.size;
    },
    get failure() {
      return failure;
    },
    push(raw) {
      const event = responseEvent().safeParse(raw).data;
      if (!event) return [];
      if (event.type === '') return end(wireResponse().parse(raw));
      if (event.type === 'error') failure = raw;
      if (event.response && finalEvents.has(event.type)) return end(event.response);
      last = event.response ?? last;
      const isItem = /^response\.output_item\.(?:added|done)$/.test(event.type);
      return event.item && isItem ? output.addItem(event.output_index, event.item) : output.addPiece(event);
    },
    end: () => [],
    partial: () => ({ text: output.text(), reasoning: output.reasoning(), ...usageOf(usageIn(last)) }),
    reply(settings) {
      const items = output.items();
      const reply = buildReply(
        assembledOf(items, { last, finish, text: output.text(), reasoning: output.reasoning() }),
        settings,
      );
      return { ...reply, message: messageOf(reply.message, items, settings.origin ?? settings.model) };
    },
  };
}

const finalEvents = new Set(['response.completed', 'response.incomplete', 'response.failed', 'response.done']);

/** Finish reason in the spelling of the chat protocol. */
function finishWord({ status, incomplete_details: details }: WireResponse): string {
  if (status !== 'incomplete') return status === 'cancelled' ? 'error' : status === 'failed' ? 'error' : 'stop';
  return details?.reason === 'content_filter' ? 'content_filter' : 'length';
}

interface ResponseState {
  readonly last: WireResponse | undefined;
  readonly finish: string;
  readonly text: string;
  readonly reasoning: string;
}

function assembledOf(items: readonly OutputItem[], { last, ...state }: ResponseState): AssembledReply {
  return {
    ...state,
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

/** Usage under the names of the chat protocol. */
function usageIn(response: WireResponse | undefined): unknown {
  const { usage } = response ?? {};
  return (
    usage && {
      prompt_tokens: usage['input_tokens'],
      completion_tokens: usage['output_tokens'],
      total_tokens: usage['total_tokens'],
      prompt_tokens_details: usage['input_tokens_details'],
      completion_tokens_details: usage['output_tokens_details'],
      cost: usage['cost'],
    }
  );
}

/**
 * Adds the data that must be sent back to this protocol: the last reasoning, the ids of items, and an unusual order.
 */
function messageOf(message: Message, items: readonly OutputItem[], origin: string): Message {
  const calls = message.tool_calls ?? [];
  const order = orderIfUnusual(orderIn(items, calls));
  const reasoning = items.findLast(({ type }) => type === 'reasoning');
  const extra = (order || reasoning) && { origin, ...(order && { responses_items: order }) };
  const ids = callsIn(items).map(({ id }) => id);
  const withIds = calls.map((call, index): ToolCall => ({
    ...call,
    origin: 'responses',
    ...(ids[index] && { responses_item_id: ids[index] }),
    ...(index === 0 && extra && { extra }),
  }));
  return {
    ...message,
    ...(withIds.length > 0 && { tool_calls: withIds }),
    ...(reasoning && { responses_reasoning_item: reasoningOf(reasoning) }),
    ...(withIds.length === 0 && extra && { extra }),
  };
}

function reasoningOf({ id, summary, encrypted_content: encrypted }: OutputItem) {
  return {
    ...(id !== '' && { id }),
    summary: summary.map(({ text }) => text),
    ...(encrypted !== '' && { encrypted_content: encrypted }),
  };
}

/** Item types that this package cannot send are left out. */
function orderIn(items: readonly OutputItem[], calls: readonly ToolCall[]): ItemOrder {
  let call = 0;
  return items.flatMap((item): ItemOrder => {
    if (item.type === 'reasoning') return [{ type: 'reasoning', ...reasoningOf(item) }];
    const { phase } = item;
    if (item.type === 'message') return [{ type: 'message', text: textOfItem(item), ...(phase !== '' && { phase }) }];
    if (item.type !== 'function_call') return [];
    return [{ type: 'function_call', call_id: calls[call++]?.id ?? item.call_id }];
  });
}
