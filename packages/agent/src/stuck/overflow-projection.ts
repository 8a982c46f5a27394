import { freezeJson, textOf } from '@varve/events';
import { importFact } from '@varve/events/facts';
import { ActionEvent, CondensationRequest, ConversationStateUpdateEvent, MessageEvent } from '@varve/events/kinds';
import { statusKey, type Projection } from '@varve/events/projections';
import type { LoopVerdict } from './detect-loop.ts';
import type { StuckRules } from './stuck-rules.ts';

/** Repeated context overflows of a conversation. */
export interface Overflow {
  /** Consecutive times that the context was too long again one reply after a condensation. */
  readonly streak: number;
  /** The model was nudged about it. */
  readonly wasNudged: boolean;
}

interface OverflowState extends Overflow {
  /** Replies since the last requested condensation; 2 means more, or no request. */
  readonly replies: number;
  readonly lastReply: string;
}

/** Nudge for a model whose replies overflow the context repeatedly. */
export const overflowNudge =
  'The results you requested did not fit into the context several times in a row, and had to be removed each time. Request less: parts of files, fewer lines, narrower searches.';

const initial: OverflowState = { streak: 0, wasNudged: false, replies: 2, lastReply: '' };

/**
 * Counts overflows with one reply between them; the view cannot show them, because it was just condensed. A message of
 * the user, two replies that fit, an import, and a run that was stopped for it reset the count.
 *
 * @see OpenHands V0 StuckDetector, context window error loop (whose events its history never contained)
 */
export const overflowProjection: Projection<OverflowState, Overflow> = {
  name: 'overflow',
  version: 2,
  scope: 'branch',
  initial: () => initial,
  apply(state, event) {
    if (CondensationRequest.is(event)) return withRequest(state);
    if (ConversationStateUpdateEvent.is(event))
      return importFact.read(event) || (event.key === statusKey && event.value === 'stuck') ? initial : state;
    if (MessageEvent.is(event) && event.source !== 'agent') {
      if (event.source === 'user') return initial;
      return textOf(event.llm_message.content) === overflowNudge ? { ...state, wasNudged: true } : state;
    }
    if (!ActionEvent.is(event) && !MessageEvent.is(event)) return state;
    const reply = event.llm_response_id ?? event.id;
    return reply === state.lastReply ? state : withReply(state, reply);
  },
  read: (state) => freezeJson(state),
  // Snapshots contain `wasNudged` as `isTold`.
  encode: ({ wasNudged, ...state }) => ({ ...state, isTold: wasNudged }),
  decode(json) {
    const { isTold, ...state } = json as unknown as Omit<OverflowState, 'wasNudged'> & { readonly isTold: boolean };
    return { ...state, wasNudged: isTold };
  },
};

/** Counts an overflow; several requests without a reply between them are one overflow that is resolved step by step. */
function withRequest(state: OverflowState): OverflowState {
  return { ...state, replies: 0, streak: state.streak + (state.replies === 1 ? 1 : 0) };
}

function withReply(state: OverflowState, lastReply: string): OverflowState {
  return state.replies === 0 ? { ...state, replies: 1, lastReply } : { ...initial, lastReply };
}

/** Returns the reaction to repeated overflows: one nudge, then the end of the run. */
export function overflowVerdict({ streak, wasNudged }: Overflow, { overflows }: StuckRules): LoopVerdict | undefined {
  if (streak < overflows) return undefined;
  if (!wasNudged) return { kind: 'nudge', message: overflowNudge };
  return streak > overflows ? { kind: 'stuck' } : undefined;
}
