import type { Json } from '@varve/events';
import * as z from 'zod';
import { alwaysConfirm } from './always-confirm.ts';
import type { ConfirmationPolicy } from './confirmation-policy.ts';
import { confirmRisky } from './confirm-risky.ts';
import { neverConfirm } from './never-confirm.ts';
import { riskFromSpec } from '../risk/risk-from-spec.ts';

const specs = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('NeverConfirm') }),
  z.looseObject({ kind: z.literal('AlwaysConfirm') }),
  z.looseObject({
    kind: z.literal('ConfirmRisky'),
    threshold: z.enum(['LOW', 'MEDIUM', 'HIGH']).default('HIGH'),
    confirm_unknown: z.boolean().default(true),
  }),
]);

/**
 * Returns the policy for a spec and the spec of its analyzer; undefined when only the application can make it.
 *
 * @see software-agent-sdk ConfirmationPolicyBase, SecurityAnalyzerBase
 */
export function confirmationFromSpec(policy: Json, analyzer?: Json): ConfirmationPolicy | undefined {
  const { data } = specs.safeParse(policy);
  if (data?.kind === 'NeverConfirm') return neverConfirm();
  if (data?.kind === 'AlwaysConfirm') return alwaysConfirm();
  if (!data) return undefined;
  const { threshold, confirm_unknown: confirmUnknown } = data;
  if (analyzer === undefined || analyzer === null) return confirmRisky({ threshold, confirmUnknown });
  const made = riskFromSpec(analyzer);
  return made && confirmRisky({ threshold, confirmUnknown, analyzer: made });
}
