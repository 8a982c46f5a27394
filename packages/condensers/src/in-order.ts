import type { CondenseContext, Condenser } from './condenser.ts';
import { throwIfAborted } from './throw-if-aborted.ts';

/** Creates a condenser that asks others in turn and returns the first plan. */
export function inOrder(condensers: readonly Condenser[]): Condenser {
  return {
    spec: { kind: 'in-order', condensers: condensers.map(({ spec }) => spec) },
    async condense(view, context) {
      throwIfAborted(context.signal);
      for (const condenser of condensers) {
        const answer = await condenser.condense(view, context);
        if ('kind' in answer && answer.kind === 'condensation') return answer;
      }
      return nothingToCut(context) ?? view;
    },
  };
}

function nothingToCut({ reason }: CondenseContext): { readonly kind: 'nothing'; readonly reason: string } | undefined {
  return reason === 'demand' ? { kind: 'nothing', reason: 'None of the condensers found anything to cut.' } : undefined;
}
