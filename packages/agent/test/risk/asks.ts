import { TerminalAction } from '@varve/events/payloads';
import { confirmRisky } from '../../src/confirmation/policies.ts';
import { ensembleRisk } from '../../src/risk/ensemble-risk.ts';
import { modelRisk } from '../../src/risk/model-risk.ts';
import { shellRisk } from '../../src/risk/shell-risk.ts';
import { countingTool } from '../../src/testing/counting-tool.ts';

const tool = countingTool().tool();
const policy = confirmRisky({ analyzer: ensembleRisk([modelRisk(), shellRisk()]) });

/** Reports whether the policy `risky` asks about a command that the model rates LOW. */
export function asks(command: string): boolean {
  const action = TerminalAction.create({ command });
  return policy.review({ tool, action, risk: 'LOW', workspace: '/data/me/project' }).asks;
}
