import type { CondensationPlan, Condenser } from '@varve/condensers';
import { Condensation, SystemPromptEvent } from '@varve/events';
import { cutPoints, type View } from '@varve/events/projections';
import type { Draft } from './journal.ts';

/** Who condenses, and within which limits. */
export interface CondenseOptions {
  readonly condenser: Condenser;
  readonly signal: AbortSignal;
  readonly contextWindow: number | undefined;
  readonly newId: () => string;
}

/**
 * The draft that makes a view smaller, `undefined` when it may stay. When a condensation was asked for and the condenser
 * finds nothing to cut, everything that may go goes: all but the system prompt, the first user turn and the last step.
 * `'exhausted'` when even that is nothing.
 */
export async function condensationFor(view: View, options: CondenseOptions): Promise<Draft | 'exhausted' | undefined> {
  const { condenser, signal, contextWindow, newId } = options;
  const reason = view.isCondensationRequested ? 'demand' : 'check';
  const context = { signal, reason, ...(contextWindow !== undefined && { contextWindow }) } as const;
  const answer = await condenser.condense(view, context);
  if ('kind' in answer && answer.kind === 'condensation') return draftOf(answer, newId);
  if (reason === 'check') return undefined;
  const reset = hardReset(view);
  return reset ? draftOf(reset, newId) : 'exhausted';
}

function hardReset(view: View): CondensationPlan | undefined {
  const { events } = view;
  const cuts = cutPoints(events);
  const firstTurn = events.findIndex((event) => !SystemPromptEvent.is(event));
  const start = cuts.find((cut) => cut > firstTurn) ?? events.length;
  const end = cuts.findLast((cut) => cut < events.length) ?? 0;
  const forget = events.slice(start, end).filter((event) => !SystemPromptEvent.is(event));
  // Of fewer than two events the summary would make no smaller view, and the next demand would come back to it for ever.
  if (forget.length < 2) return undefined;
  return {
    kind: 'condensation',
    forget: forget.map(({ id }) => id),
    summary: `(${forget.length} earlier events are no longer shown, because they did not fit the model's context. Look at the files again where you need them.)`,
    summaryOffset: start,
  };
}

function draftOf({ forget, summary, summaryOffset, responseId }: CondensationPlan, newId: () => string): Draft {
  const summaryFields =
    summary === undefined ? {} : { summary, ...(summaryOffset !== undefined && { summary_offset: summaryOffset }) };
  return {
    make: (stamp) =>
      Condensation.create(
        { forgotten_event_ids: [...forget], ...summaryFields, llm_response_id: responseId ?? newId() },
        stamp,
      ),
  };
}
