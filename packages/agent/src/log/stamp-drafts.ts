import type { BaseEvent, EventCodec } from '@varve/events';
import { leafKey } from '@varve/events/facts';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import type { Draft } from './drafts.ts';

/** Position that new events follow, and the sources of their stamps. */
export interface StampOptions {
  /** Number of events before them. */
  readonly head: number;
  /** Last event of the active branch; undefined for the position before every event. */
  readonly leafId: string | undefined;
  readonly codec: EventCodec;
  readonly timestamp: () => string;
  readonly newId: () => string;
}

/** Makes events from drafts: the first follows the last event of the active branch, each later one its predecessor. */
export function stampDrafts(
  drafts: readonly Draft[],
  { head, leafId, codec, timestamp, newId }: StampOptions,
): readonly BaseEvent[] {
  let leaf = leafId;
  return drafts.map(({ id = newId(), make }, index) => {
    const parent = leaf ?? (head + index === 0 ? undefined : '__root__');
    const event = make({ id, timestamp: timestamp(), ...(parent !== undefined && { parent_id: parent }) });
    if (codec.kind(event.kind)?.movesHead !== false) leaf = event.id;
    else if (ConversationStateUpdateEvent.is(event) && event.key === leafKey) leaf = leafOf(event.value);
    return event;
  });
}

/** Returns the leaf that an update of the leaf sets. */
function leafOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value !== '__root__' ? value : undefined;
}
