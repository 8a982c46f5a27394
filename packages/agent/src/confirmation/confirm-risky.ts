import type { SecurityRisk } from '@varve/events/kinds';
import type { ConfirmationPolicy } from './confirmation-policy.ts';
import { ensembleRisk } from '../risk/ensemble-risk.ts';
import { modelRisk } from '../risk/model-risk.ts';
import type { RiskAnalyzer } from '../risk/risk-analyzer.ts';

const rank = { LOW: 0, MEDIUM: 1, HIGH: 2 } as const;

/** Where risk begins. */
export interface ConfirmRiskyOptions {
  /** Asks from this risk on; default HIGH. */
  readonly threshold?: Exclude<SecurityRisk, 'UNKNOWN'>;
  /** Whether a call of unknown risk is asked about; default true. */
  readonly confirmUnknown?: boolean;
  /** Who says how dangerous a call is; default the model itself. Calls it has nothing to say of are of unknown risk. */
  readonly analyzer?: RiskAnalyzer;
}

/**
 * Asks about calls that are risky, and about those of unknown risk. Read-only tools pass. An analyzer that throws makes
 * the call HIGH.
 *
 * @see software-agent-sdk ConfirmRisky
 */
export function confirmRisky({
  threshold = 'HIGH',
  confirmUnknown = true,
  analyzer,
}: ConfirmRiskyOptions = {}): ConfirmationPolicy {
  const judge = ensembleRisk([analyzer ?? modelRisk()]);
  return {
    spec: { threshold, confirm_unknown: confirmUnknown, kind: 'ConfirmRisky' },
    ...(analyzer && { analyzer: analyzer.spec }),
    asks(call) {
      if (call.tool.annotations.readOnlyHint) return false;
      const risk = judge.riskOf(call) ?? 'UNKNOWN';
      return risk === 'UNKNOWN' ? confirmUnknown : rank[risk] >= rank[threshold];
    },
  };
}
