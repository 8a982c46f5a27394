export { ensembleRisk } from './ensemble-risk.ts';
export { modelRisk } from './model-risk.ts';
export type { ShellCommand } from '../shell/shell-command.ts';
export type { RiskAnalyzer } from './risk-analyzer.ts';
export { shellRisk, type ShellRiskOptions } from './shell-risk.ts';
export type { ShellRule } from './rules/shell-rules.ts';
export { workspaceRisk } from './workspace-risk.ts';
