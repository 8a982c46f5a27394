import type { SecurityRisk } from '@varve/events/kinds';
import { AgentError } from '../error.ts';
import { highestRisk } from './highest-risk.ts';
import type { ProposedCall, RiskAnalyzer } from './risk-analyzer.ts';

/**
 * Combines several analyzers: the highest risk wins, and an unknown risk lowers nothing. An analyzer that throws counts
 * as HIGH.
 *
 * @throws {AgentError} `invalid` without analyzers.
 * @see software-agent-sdk EnsembleSecurityAnalyzer (where an `UNKNOWN` of one member may hide a `HIGH` of another)
 */
export function ensembleRisk(analyzers: readonly RiskAnalyzer[]): RiskAnalyzer {
  if (analyzers.length === 0) throw new AgentError('invalid', 'An ensemble needs at least one analyzer.');
  return {
    spec: {
      analyzers: analyzers.map(({ spec }) => spec),
      propagate_unknown: true,
      kind: 'EnsembleSecurityAnalyzer',
    },
    riskOf: (call) => highestRisk(analyzers.map((analyzer) => riskBy(analyzer, call))),
  };
}

function riskBy(analyzer: RiskAnalyzer, call: ProposedCall): SecurityRisk | undefined {
  try {
    return analyzer.riskOf(call);
  } catch {
    return 'HIGH';
  }
}
