import type { Json } from '@varve/events';
import * as z from 'zod';
import { alwaysConfirm } from './always-confirm.ts';
import type { ConfirmationPolicy } from './confirmation-policy.ts';
import { confirmRisky } from './confirm-risky.ts';
import { neverConfirm } from './never-confirm.ts';
import { withRules } from './with-rules.ts';
import { permissionRules } from '../permissions/permission-rule.ts';
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

/** Rules of a person, which any policy may have. */
const withStoredRules = z.looseObject({ rules: permissionRules.default([]) });

/**
 * Returns the policy for a spec and the spec of its analyzer; undefined when only the application can make it.
 *
 * @see software-agent-sdk ConfirmationPolicyBase, SecurityAnalyzerBase
 */
export function confirmationFromSpec(policy: Json, analyzer?: Json): ConfirmationPolicy | undefined {
  const { data: stored } = withStoredRules.safeParse(policy);
  const made = stored && policyFromSpec(policy, analyzer);
  return made && withRules(made, stored.rules);
}

function policyFromSpec(policy: Json, analyzer: Json | undefined): ConfirmationPolicy | undefined {
  const { data } = specs.safeParse(policy);
  if (data?.kind === 'NeverConfirm') return neverConfirm();
  if (data?.kind === 'AlwaysConfirm') return alwaysConfirm();
  if (!data) return undefined;
  const { threshold, confirm_unknown: confirmUnknown } = data;
  if (analyzer === undefined || analyzer === null) return confirmRisky({ threshold, confirmUnknown });
  const made = riskFromSpec(analyzer);
  return made && confirmRisky({ threshold, confirmUnknown, analyzer: made });
}
