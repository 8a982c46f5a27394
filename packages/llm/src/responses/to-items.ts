import { textOf, type Message, type ToolCall } from '@varve/events';
import type { WireSettings } from '../chat/to-wire.ts';
import { wireCallId } from '../dialects/wire-id.ts';
import { wireName } from '../dialects/tool-names.ts';
import { withWellFormedText } from '../protocol/well-formed.ts';
import { omittedImages, sendsImages } from '../chat/wire-content.ts';
import { toolText } from '../tool-text.ts';
import { cachedWire } from '../protocol/written-once.ts';
import type { InputPart, ResponseItem } from './response-item.ts';
import { isFrom, orderOf } from './item-order.ts';

/** What items depend on beside the message. */
export interface ItemSettings extends WireSettings {
  /** Whether the server keeps replies: only then may items be named by its ids. */
  readonly store: boolean;
}

/** The input items of messages; system messages have none, they are instructions. Messages are taken as legal. */
export function toItems(messages: readonly Message[], settings: ItemSettings): readonly ResponseItem[] {
  return messages.flatMap((message) =>
    cachedWire(settings.cache, message, () => withWellFormedText(itemsOf(message, settings))),
  );
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

/** One output for each call, whatever it holds. */
function outputOf({ content }: Message, settings: ItemSettings): string | readonly InputPart[] {
  const said = toolText(content);
  const images = content.flatMap((block) => (block.type === 'image' ? block.image_urls : []));
  if (images.length === 0) return said;
  if (!sendsImages(settings)) return [said, omittedImages(images.length)].filter((line) => line !== '').join('\n');
  const words: readonly InputPart[] = said === '' ? [] : [{ type: 'input_text', text: said }];
  return [...words, ...images.map(imagePart)];
}

function assistantItems(message: Message, settings: ItemSettings): readonly ResponseItem[] {
  const calls = message.tool_calls ?? [];
  const { model, origin = model, dialect } = settings;
  const order = dialect.sealedBack ? orderOf(message, origin) : undefined;
  if (order) {
    return order.flatMap((item): readonly ResponseItem[] => {
      if (item.type === 'reasoning') return reasoningItems(item, settings);
      if (item.type === 'message') return textItems(item.text);
      return calls.filter(({ id }) => id === item.call_id).map((call) => callItem(call, settings));
    });
  }
  return [
    ...reasoningItems(isFrom(message, origin) ? message.responses_reasoning_item : undefined, settings),
    ...textItems(textOf(message.content)),
    ...calls.map((call) => callItem(call, settings)),
  ];
}

function textItems(said: string): readonly ResponseItem[] {
  return said.trim() === ''
    ? []
    : [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: said }] }];
}

type Reasoning = NonNullable<Message['responses_reasoning_item']>;

/** Without its sealed content, or the id under which a server keeps it, reasoning means nothing to the server. */
function reasoningItems(reasoning: Reasoning | undefined, { store, dialect }: ItemSettings): readonly ResponseItem[] {
  const { id, summary = [], encrypted_content: sealed } = reasoning ?? {};
  if (!dialect.sealedBack || (sealed === undefined && (!store || id === undefined))) return [];
  return [
    {
      type: 'reasoning',
      ...(store && id !== undefined && { id }),
      summary: summary.map((text) => ({ type: 'summary_text', text })),
      ...(sealed !== undefined && { encrypted_content: sealed }),
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
