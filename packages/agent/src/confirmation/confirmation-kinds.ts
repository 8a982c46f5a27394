import { definePartKind, type PartKind } from '@varve/events/specs';
import * as z from 'zod';
import type { RiskAnalyzer } from '../risk/risk-analyzer.ts';
import { alwaysConfirm, confirmAllButEdits, confirmRisky, neverConfirm, onlyReading } from './policies.ts';
import type { ConfirmationPolicy } from './confirmation-policy.ts';

/** Context in which a policy is rebuilt. */
export interface ConfirmationContext {
  /** Rebuilds the analyzer, which is stored next to the policy; undefined without one. @throws {SpecError} */
  readonly storedAnalyzer: () => RiskAnalyzer | undefined;
}

/** Kind of confirmation policy that can be rebuilt from its spec. */
export type ConfirmationKind = PartKind<ConfirmationPolicy, ConfirmationContext>;

/**
 * Confirmation policies of this package that can be rebuilt from their specs: a new one is an entry here.
 *
 * @see software-agent-sdk ConfirmationPolicyBase
 */
export const confirmationKinds: readonly ConfirmationKind[] = [
  kindWithoutOptions('NeverConfirm', neverConfirm),
  kindWithoutOptions('AlwaysConfirm', alwaysConfirm),
  kindWithoutOptions('ConfirmAllButEdits', confirmAllButEdits),
  kindWithoutOptions('OnlyReading', onlyReading),
  definePartKind({
    kind: 'ConfirmRisky',
    options: () =>
      z.object({
        threshold: z.enum(['LOW', 'MEDIUM', 'HIGH']).default('HIGH'),
        confirm_unknown: z.boolean().default(true),
      }),
    create({ threshold, confirm_unknown: confirmUnknown }, context: ConfirmationContext): ConfirmationPolicy {
      const analyzer = context.storedAnalyzer();
      return confirmRisky({ threshold, confirmUnknown, ...(analyzer && { analyzer }) });
    },
  }),
];

function kindWithoutOptions(kind: string, create: () => ConfirmationPolicy): ConfirmationKind {
  return definePartKind({ kind, options: () => z.object({}), create });
}
