import type { BaseEvent, EventCodec } from '@varve/events';
import { leafKey } from '@varve/events/facts';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import type { Draft } from './drafts.ts';

/** What new events come after, and what stamps them. */
export interface StampOptions {
  /** Number of events before them. */
  readonly head: number;
  /** Last event of the active branch; undefined is before every event. */
  readonly leafId: string | undefined;
  readonly codec: EventCodec;
  readonly timestamp: () => string;
  readonly newId: () => string;
}

/** Makes events of drafts: the first follows the last event of the active branch, each later one the one before it. */
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

/** Where an update of the leaf puts it. */
function leafOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value !== '__root__' ? value : undefined;
}
