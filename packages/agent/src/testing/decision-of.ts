import { TerminalAction } from '@varve/events/payloads';
import { permissionRule } from '../permissions/permission-rule.ts';
import { ruleDecision } from '../permissions/rule-decision.ts';
import { countingTool } from './counting-tool.ts';

const tool = { ...countingTool().tool(), name: 'terminal' };

/** Returns what a rule such as `deny path .env` decides about a command that the terminal starts in a workspace. */
export function decisionOf(rule: string, command: string, workspace: string): 'allow' | 'ask' | 'deny' | undefined {
  const [decision, on, ...pattern] = rule.split(' ');
  const rules = [permissionRule.parse({ decision, on, pattern: pattern.join(' ') })];
  const action = TerminalAction.create({ command });
  return ruleDecision(rules, { tool, action, risk: 'LOW', workspace })?.decision;
}
