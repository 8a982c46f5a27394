import type { SecurityRisk } from '@varve/events';
import type { ConfirmationPolicy } from './confirmation.ts';

const rank = { LOW: 0, MEDIUM: 1, HIGH: 2 } as const;

/** Where risk begins. */
export interface ConfirmRiskyOptions {
  /** Asks from this risk on; default HIGH. */
  readonly threshold?: Exclude<SecurityRisk, 'UNKNOWN'>;
  /** Whether a call of unknown risk is asked about; default true. */
  readonly confirmUnknown?: boolean;
}

/** Asks about calls that the model itself calls risky, and about those it says nothing of. Read-only tools pass. */
export function confirmRisky({
  threshold = 'HIGH',
  confirmUnknown = true,
}: ConfirmRiskyOptions = {}): ConfirmationPolicy {
  return {
    spec: { threshold, confirm_unknown: confirmUnknown, kind: 'ConfirmRisky' },
    asks({ risk, tool }) {
      if (tool.annotations.readOnlyHint) return false;
      return risk === 'UNKNOWN' ? confirmUnknown : rank[risk] >= rank[threshold];
    },
  };
}
