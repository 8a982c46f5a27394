export type { ConfirmationPolicy } from './confirmation-policy.ts';
export type { ConfirmRiskyOptions } from './policies.ts';
export type { ProposedCall } from '../risk/risk-analyzer.ts';
export {
  describeRule,
  permissionRule,
  permissionRules,
  ruleProblem,
  ruleSubjects,
  type PermissionRule,
} from '../permissions/permission-rule.ts';
export { isCovered, suggestedRules, type StoredCall } from '../permissions/suggested-rules.ts';
export { withRules } from './with-rules.ts';
export { confirmationFromSpec, type ConfirmationRegistries } from './confirmation-from-spec.ts';
