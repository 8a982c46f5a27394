import type { Condenser } from './condenser.ts';
import { throwIfAborted } from './throw-if-aborted.ts';

/** Shows the model everything, always: for short tasks, and for tests that want to see the whole log. */
export function noCondensation(): Condenser {
  return {
    spec: { kind: 'no-condensation' },
    async condense(view, { reason, signal }) {
      throwIfAborted(signal);
      return reason === 'check' ? view : { kind: 'nothing', reason: 'This agent never forgets anything.' };
    },
  };
}
