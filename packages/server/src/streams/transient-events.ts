import { randomUUID } from 'node:crypto';
import { timestamps } from '@varve/events';
import { ServerErrorEvent, StreamingDeltaEvent } from '@varve/events/kinds';
import type { DeltaMessage, ServerErrorMessage } from '../reference/info/feed.ts';

/** Creates the JSON of events that are sent and never stored; each has a new id. */
export interface TransientEvents {
  ofMessage(message: DeltaMessage | ServerErrorMessage): string;
  /** @param state JSON of the whole state. */
  fullState(state: string): string;
}

/** @param now UTC milliseconds. */
export function transientEvents(now: () => number): TransientEvents {
  const timestamp = timestamps(now);
  const stamp = () => ({ id: randomUUID(), timestamp: timestamp() });
  return {
    ofMessage(message) {
      if (message.kind === 'server_error') {
        const { code, detail } = message;
        return JSON.stringify(ServerErrorEvent.create({ source: 'environment', code, detail }, stamp()));
      }
      const { content, reasoning_content } = message;
      const fields = { ...(content !== undefined && { content }) };
      return JSON.stringify(
        StreamingDeltaEvent.create(
          { ...fields, ...(reasoning_content !== undefined && { reasoning_content }) },
          stamp(),
        ),
      );
    },
    fullState(state) {
      const base = JSON.stringify({ ...stamp(), source: 'environment', key: 'full_state' });
      return `${base.slice(0, -1)},"value":${state},"kind":"ConversationStateUpdateEvent"}`;
    },
  };
}
