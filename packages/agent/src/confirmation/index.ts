export { type ProposedCall } from '../commands/proposed-call.ts';
export type { ConfirmationPolicy } from './confirmation-policy.ts';
export {
  describeRule,
  permissionRule,
  permissionRules,
  ruleProblem,
  type PermissionRule,
} from '../permissions/permission-rule.ts';
export { isCovered, suggestedRules } from '../permissions/suggested-rules.ts';
export { withRules } from './with-rules.ts';
export { confirmationFromSpec } from './confirmation-from-spec.ts';
export { ensembleRisk } from '../risk/ensemble-risk.ts';
export { modelRisk } from '../risk/model-risk.ts';
export type { RiskAnalyzer } from '../risk/risk-analyzer.ts';
export { shellRisk, type CommandRiskRule } from '../risk/shell-risk.ts';
export { workspaceRisk } from '../risk/workspace-risk.ts';
export { pathsInCommand } from './hooks/command-paths.ts';
export { mergeHooks, parseHooks, type HookConfig, type Hook } from './hooks/hook-config.ts';
export { loadHooks, type HookSource } from './hooks/load-hooks.ts';
