import type { Json } from '@varve/events';
import { buildPart, isPartSpec, SpecError, type Registry, type SpecPath } from '@varve/events/specs';
import { permissionRules, type PermissionRule } from '../permissions/permission-rule.ts';
import { riskKinds, type RiskContext } from '../risk/risk-kinds.ts';
import type { RiskAnalyzer } from '../risk/risk-analyzer.ts';
import { confirmationKinds, type ConfirmationContext } from './confirmation-kinds.ts';
import type { ConfirmationPolicy } from './confirmation-policy.ts';
import { withRules } from './with-rules.ts';

/** Kinds of policies and analyzers that can be rebuilt. */
export interface ConfirmationRegistries {
  readonly confirmations: Registry<ConfirmationPolicy, ConfirmationContext>;
  readonly analyzers: Registry<RiskAnalyzer, RiskContext>;
}

/** Those of this package. */
export const builtinConfirmations: ConfirmationRegistries = {
  confirmations: confirmationKinds,
  analyzers: riskKinds(),
};

/**
 * Returns the policy for its spec and the spec of its analyzer, with the rules of a person in it.
 *
 * @throws {SpecError} when only the application can make it, or its rules are malformed.
 * @see software-agent-sdk ConfirmationPolicyBase, SecurityAnalyzerBase
 */
export function confirmationFromSpec(
  policy: Json,
  analyzer: Json | undefined,
  { confirmations, analyzers }: ConfirmationRegistries = builtinConfirmations,
): ConfirmationPolicy {
  const analyzerAt = (spec: Json, path: SpecPath): RiskAnalyzer =>
    buildPart(spec, {
      registry: analyzers,
      path,
      contextAt: (inner) => ({ analyzer: (nested, ...position) => analyzerAt(nested, [...inner, ...position]) }),
    });
  const storedAnalyzer = (): RiskAnalyzer | undefined =>
    analyzer === undefined || analyzer === null ? undefined : analyzerAt(analyzer, ['security_analyzer']);
  const made = buildPart(policy, {
    registry: confirmations,
    path: ['confirmation_policy'],
    contextAt: () => ({ storedAnalyzer }),
  });
  return withRules(made, rulesIn(policy));
}

/** Any policy may have rules. */
function rulesIn(policy: Json): readonly PermissionRule[] {
  if (!isPartSpec(policy) || policy['rules'] === undefined) return [];
  const { data } = permissionRules().safeParse(policy['rules']);
  if (data) return data;
  const problem = { path: 'confirmation_policy.rules', kind: policy.kind, reason: 'the rules are malformed.' };
  throw new SpecError(problem);
}
