import * as z from 'zod';
import type { Condenser } from './condenser.ts';
import { defineCondenserKind } from './registry/condenser-kind.ts';
import { throwIfAborted } from './throw-if-aborted.ts';

/** Creates a condenser that never forgets: for short tasks, and for tests of whole logs. */
export function noCondensation(): Condenser {
  return {
    spec: { kind: 'no-condensation' },
    async condense(view, { reason, signal }) {
      throwIfAborted(signal);
      return reason === 'check' ? view : { kind: 'nothing', reason: 'This agent never forgets anything.' };
    },
  };
}

/** Spec of {@link noCondensation}. */
export const noCondensationKind = defineCondenserKind('no-condensation', {
  aliases: ['noop', 'NoOpCondenser'],
  options: () => z.object({}),
  create: noCondensation,
});
