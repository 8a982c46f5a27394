import * as z from 'zod';
import type { Condenser } from './condenser.ts';
import { findSegment } from './plans/find-segment.ts';
import { openingLength } from './plans/opening.ts';
import { forgettable } from './plans/segment.ts';
import { defineCondenserKind } from './registry/condenser-kind.ts';
import { throwIfAborted } from './throw-if-aborted.ts';

/**
 * Creates a condenser that acts on demand only: it keeps the beginning up to the first message of the user, and the
 * newer half of the rest.
 *
 * @see OpenHands V0 ConversationWindowCondenser
 */
export function conversationWindow(): Condenser {
  return {
    spec: { kind: 'conversation-window' },
    async condense(view, { reason, signal }) {
      throwIfAborted(signal);
      if (reason === 'check') return view;
      const { events } = view;
      const first = openingLength(events);
      const kept = Math.max(1, Math.floor((events.length - first) / 2));
      const segment = findSegment(events, { reason, first, target: events.length - kept });
      if (!segment) return { kind: 'nothing', reason: 'No two events can be forgotten.' };
      return { kind: 'condensation', forget: forgettable(events, segment).map(({ id }) => id) };
    },
  };
}

/** Spec of {@link conversationWindow}. */
export const conversationWindowKind = defineCondenserKind('conversation-window', {
  aliases: ['conversation_window'],
  options: () => z.object({}),
  create: conversationWindow,
});
