import type { RiskAnalyzer } from './risk-analyzer.ts';

/** Uses the model's own rating of a call. @see software-agent-sdk LLMSecurityAnalyzer */
export function modelRisk(): RiskAnalyzer {
  return {
    spec: { kind: 'LLMSecurityAnalyzer' },
    assess: ({ risk }) => ({
      risk,
      reasons: [{ risk, text: risk === 'UNKNOWN' ? 'The model did not rate it.' : `The model rates it ${risk}.` }],
    }),
  };
}
