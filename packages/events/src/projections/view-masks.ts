import { text, type Content } from '../content.ts';
import type { BaseEvent } from '../define-event.ts';
import { deepFreeze } from '../immutable.ts';
import { MessageEvent } from '../kinds/message-event.ts';
import { ObservationEvent } from '../kinds/observation-event.ts';
import { presentObservation } from '../payloads/present-observation.ts';

/** Kind of the observation that replaces a masked one in a view. It is never stored. */
const maskedKind = 'MaskedObservation';

/** Kind of the observation that replaces one whose images are masked. It is never stored. */
const withoutImagesKind = 'ObservationWithoutImages';

/** Replacement of observations by a text, or of images alone. */
export interface ViewMask {
  readonly event_ids: readonly string[];
  readonly text: string;
  readonly only?: 'images';
}

/** Returns the events of a view after a mask. Events that have nothing to mask stay as they are. */
export function withMask(events: readonly BaseEvent[], mask: ViewMask): BaseEvent[] {
  const ids = new Set(mask.event_ids);
  return events.map((event) => {
    if (!ids.has(event.id)) return event;
    if (mask.only === 'images') return withoutImages(event, mask.text);
    return ObservationEvent.is(event) ? withObservation(event, [text(mask.text)], maskedKind) : event;
  });
}

/** Returns true for an observation that a mask replaced. */
export function isMasked(event: BaseEvent): boolean {
  return ObservationEvent.is(event) && event.observation.kind === maskedKind;
}

/** Returns true for a message or an observation with an image that the model would see. */
export function hasImages(event: BaseEvent): boolean {
  if (ObservationEvent.is(event)) return presentObservation(event.observation).some(isImage);
  return MessageEvent.is(event) && event.llm_message.content.some(isImage);
}

function withoutImages(event: BaseEvent, note: string): BaseEvent {
  if (!hasImages(event)) return event;
  if (MessageEvent.is(event)) {
    const { llm_message: message } = event;
    return deepFreeze({ ...event, llm_message: { ...message, content: textsOf(message.content, note) } });
  }
  if (!ObservationEvent.is(event)) return event;
  // The masked observation is presented again, with the heading of its error.
  const content = presentObservation({ ...event.observation, is_error: false });
  return withObservation(event, textsOf(content, note), withoutImagesKind);
}

function withObservation(event: ObservationEvent, content: readonly Content[], kind: string): BaseEvent {
  const observation = { content, is_error: event.observation.is_error, kind };
  const extended = kind === maskedKind ? [] : event.extended_content;
  return deepFreeze({ ...event, observation, extended_content: extended });
}

/** Returns the texts of content, with a note in the place of its first image. */
function textsOf(content: readonly Content[], note: string): readonly Content[] {
  const first = content.findIndex(isImage);
  return content.flatMap((block, index) => (isImage(block) ? (index === first ? [text(note)] : []) : [block]));
}

function isImage(block: Content): boolean {
  return block.type === 'image' && block.image_urls.length > 0;
}
