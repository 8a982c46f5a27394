import type { RiskAnalyzer } from './risk-analyzer.ts';

/** Believes what the model itself says of a call. @see software-agent-sdk LLMSecurityAnalyzer */
export function modelRisk(): RiskAnalyzer {
  return { spec: { kind: 'LLMSecurityAnalyzer' }, riskOf: ({ risk }) => risk };
}
