import type { RiskVerdict } from '@varve/events/facts';
import { type ProposedCall } from '../commands/proposed-call.ts';
import { AgentError } from '../error.ts';
import { highestRisk, verdictOf } from './highest-risk.ts';
import type { RiskAnalyzer } from './risk-analyzer.ts';

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
    assess(call) {
      const verdicts = analyzers.flatMap((analyzer) => verdictBy(analyzer, call) ?? []);
      const risk = highestRisk(verdicts.map((verdict) => verdict.risk));
      return risk && { ...verdictOf(verdicts.flatMap(({ reasons }) => reasons)), risk };
    },
  };
}

function verdictBy(analyzer: RiskAnalyzer, call: ProposedCall): RiskVerdict | undefined {
  try {
    return analyzer.assess(call);
  } catch {
    return { risk: 'HIGH', reasons: [{ risk: 'HIGH', text: 'An analyzer failed on this call.' }] };
  }
}
