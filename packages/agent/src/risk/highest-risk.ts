import type { SecurityRisk } from '@varve/events/kinds';

/** What cannot be told may be anything: only what is known to be dangerous outweighs it. */
const rank = { LOW: 0, MEDIUM: 1, UNKNOWN: 2, HIGH: 3 } as const satisfies Record<SecurityRisk, number>;

/** The highest of several risks; undefined of none. Unknown counts for more than medium, so that it never lowers anything. */
export function highestRisk(risks: readonly (SecurityRisk | undefined)[]): SecurityRisk | undefined {
  return risks
    .filter((risk) => risk !== undefined)
    .reduce<SecurityRisk | undefined>(
      (highest, risk) => (highest === undefined || rank[risk] > rank[highest] ? risk : highest),
      undefined,
    );
}
