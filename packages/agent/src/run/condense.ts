import type { CondensationPlan, Condenser } from '@varve/condensers';
import { Condensation } from '@varve/events/kinds';
import type { View } from '@varve/events/projections';
import { hardReset } from './hard-reset.ts';
import type { Draft } from '../log/drafts.ts';

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
