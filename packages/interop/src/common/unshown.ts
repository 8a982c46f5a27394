import type { BaseEvent, Content } from '@varve/events';
import { ActionEvent, MessageEvent, ObservationEvent } from '@varve/events/kinds';
import { presentObservation } from '@varve/events/payloads';
import type { DroppedCounter } from './origins.ts';

/** Counts the images and the reasoning of an event, for formats that hold only texts and calls. */
export function countUnshown(event: BaseEvent, dropped: DroppedCounter): void {
  const images = contentOf(event).flatMap((block) => (block.type === 'image' ? block.image_urls : []));
  if (images.length > 0) dropped.add('images', 'The format has texts only.', images.length);
  const from = MessageEvent.is(event) ? event.llm_message : ActionEvent.is(event) ? event : undefined;
  const hasReasoning = from?.reasoning_content !== undefined || (from?.thinking_blocks.length ?? 0) > 0;
  if (hasReasoning) dropped.add('reasoning', 'The format has texts and calls only.');
}

function contentOf(event: BaseEvent): readonly Content[] {
  if (MessageEvent.is(event)) return [...event.llm_message.content, ...event.extended_content];
  if (ObservationEvent.is(event)) return [...presentObservation(event.observation), ...event.extended_content];
  return [];
}
