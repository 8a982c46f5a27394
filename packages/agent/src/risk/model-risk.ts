import type { RiskAnalyzer } from './risk-analyzer.ts';

/**
 * Uses the model's own rating of a call, and does not rate calls that the model did not rate: in an ensemble the other
 * analyzers decide about them.
 *
 * @see software-agent-sdk LLMSecurityAnalyzer
 */
export function modelRisk(): RiskAnalyzer {
  return {
    spec: { kind: 'LLMSecurityAnalyzer' },
    assess: ({ risk }) =>
      risk === 'UNKNOWN' ? undefined : { risk, reasons: [{ risk, text: `The model rates it ${risk}.` }] },
  };
}
