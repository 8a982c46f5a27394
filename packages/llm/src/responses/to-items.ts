import { textOf, type Message, type ToolCall } from '@varve/events';
import { omittedImages, sendsImages, type WireSettings } from '../protocol/wire-settings.ts';
import { wireCallId } from '../dialects/call-ids.ts';
import { wireName } from '../dialects/tool-names.ts';
import { toolText } from '../tool-text.ts';
import { cachedFold, withWellFormedText } from '../protocol/wire-form.ts';
import type { InputPart, ResponseItem } from './response-item.ts';
import { isFrom, orderOf } from './item-order.ts';

/** Settings of input items. */
export interface ItemSettings extends WireSettings {
  /** True when the server stores replies: only then may items refer to its ids. */
  readonly store: boolean;
}

/** Returns the input items of messages. System messages have none, they are instructions. Messages must be legal. */
export function toItems(messages: readonly Message[], settings: ItemSettings): readonly ResponseItem[] {
  const items = cachedFold(settings.cache, messages, {
    initial: (): ResponseItem[] => [],
    add: (list, message) => list.push(...withWellFormedText(itemsOf(message, settings))),
  });
  return items.slice();
}

function itemsOf(message: Message, settings: ItemSettings): readonly ResponseItem[] {
  if (message.role === 'assistant') return assistantItems(message, settings);
  if (message.role === 'user') return [{ type: 'message', role: 'user', content: userParts(message, settings) }];
  const { tool_call_id: id } = message;
  if (message.role === 'system' || id === undefined) return [];
  return [
    {
      type: 'function_call_output',
      call_id: wireCallId(id, settings.dialect.callIds),
      output: outputOf(message, settings),
    },
  ];
}

function userParts({ content }: Message, settings: ItemSettings): readonly InputPart[] {
  const parts = content.flatMap((block): readonly InputPart[] => {
    if (block.type === 'text') return block.text === '' ? [] : [{ type: 'input_text', text: block.text }];
    if (!sendsImages(settings)) return [{ type: 'input_text', text: omittedImages(block.image_urls.length) }];
    return block.image_urls.map(imagePart);
  });
  return parts.length > 0 ? parts : [{ type: 'input_text', text: '' }];
}

function imagePart(url: string): InputPart {
  return { type: 'input_image', image_url: url, detail: 'auto' };
}

/** Output of one call: text, or parts where there are images. */
function outputOf({ content }: Message, settings: ItemSettings): string | readonly InputPart[] {
  const output = toolText(content);
  const images = content.flatMap((block) => (block.type === 'image' ? block.image_urls : []));
  if (images.length === 0) return output;
  if (!sendsImages(settings)) return [output, omittedImages(images.length)].filter((line) => line !== '').join('\n');
  const textParts: readonly InputPart[] = output === '' ? [] : [{ type: 'input_text', text: output }];
  return [...textParts, ...images.map(imagePart)];
}

function assistantItems(message: Message, settings: ItemSettings): readonly ResponseItem[] {
  const calls = message.tool_calls ?? [];
  const { model, origin = model, dialect } = settings;
  const order = dialect.sealedBack ? orderOf(message, origin) : undefined;
  if (order) {
    return order.flatMap((item): readonly ResponseItem[] => {
      if (item.type === 'reasoning') return reasoningItems(item, settings);
      if (item.type === 'message') return textItems(item.text, item.phase);
      return calls.filter(({ id }) => id === item.call_id).map((call) => callItem(call, settings));
    });
  }
  return [
    ...reasoningItems(isFrom(message, origin) ? message.responses_reasoning_item : undefined, settings),
    ...textItems(textOf(message.content)),
    ...calls.map((call) => callItem(call, settings)),
  ];
}

function textItems(text: string, phase?: string): readonly ResponseItem[] {
  if (text.trim() === '') return [];
  const content = [{ type: 'output_text', text } as const];
  return [{ type: 'message', role: 'assistant', ...(phase !== undefined && { phase }), content }];
}

type Reasoning = NonNullable<Message['responses_reasoning_item']>;

/** A server cannot use reasoning without its encrypted content, or the id under which the server stores it. */
function reasoningItems(reasoning: Reasoning | undefined, { store, dialect }: ItemSettings): readonly ResponseItem[] {
  const { id, summary = [], encrypted_content: encrypted } = reasoning ?? {};
  if (!dialect.sealedBack || (encrypted === undefined && (!store || id === undefined))) return [];
  return [
    {
      type: 'reasoning',
      ...(store && id !== undefined && { id }),
      summary: summary.map((text) => ({ type: 'summary_text', text })),
      ...(encrypted !== undefined && { encrypted_content: encrypted }),
    },
  ];
}

function callItem(
  { id, responses_item_id: item, name, arguments: json }: ToolCall,
  { store, dialect }: ItemSettings,
): ResponseItem {
  return {
    type: 'function_call',
    ...(store && item !== undefined && { id: item }),
    call_id: wireCallId(id, dialect.callIds),
    name: wireName(name),
    arguments: json,
  };
}
