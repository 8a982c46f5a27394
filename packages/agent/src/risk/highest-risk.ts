import type { RiskVerdict } from '@varve/events/facts';
import type { SecurityRisk } from '@varve/events/kinds';

/** An unknown risk may be any risk: only HIGH outweighs it. */
const rank = { LOW: 0, MEDIUM: 1, UNKNOWN: 2, HIGH: 3 } as const satisfies Record<SecurityRisk, number>;

/** Returns the highest risk; undefined without one. UNKNOWN ranks above MEDIUM, so that it never lowers a result. */
export function highestRisk(risks: readonly (SecurityRisk | undefined)[]): SecurityRisk | undefined {
  const [highest] = risks.filter((risk) => risk !== undefined).toSorted((a, b) => rank[b] - rank[a]);
  return highest;
}

/** Returns the verdict for some findings, those of the highest risk first; LOW without a finding. */
export function verdictOf(reasons: RiskVerdict['reasons']): RiskVerdict {
  return {
    risk: highestRisk(reasons.map(({ risk }) => risk)) ?? 'LOW',
    reasons: reasons.toSorted((a, b) => rank[b.risk] - rank[a.risk]),
  };
}
