export { ensembleRisk } from './ensemble-risk.ts';
export { modelRisk } from './model-risk.ts';
export type { PlainCommand } from '../permissions/plain-commands.ts';
export type { RiskAnalyzer } from './risk-analyzer.ts';
export { shellRisk, type CommandRiskRule, type ShellRiskOptions } from './shell-risk.ts';
export { workspaceRisk } from './workspace-risk.ts';
