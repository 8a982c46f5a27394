import type { Json } from '@varve/events';
import type { RiskVerdict } from '@varve/events/facts';
import type { ProposedCall } from '../commands/proposed-call.ts';

/** Rates the risk of a call. */
export interface RiskAnalyzer {
  /** JSON from which this analyzer can be rebuilt: the reference's, or a custom `kind` and its options. */
  readonly spec: Json;
  /**
   * Returns the risk of a call and its reasons; undefined when it does not rate such calls, `UNKNOWN` when it cannot
   * determine the risk. Must be pure, because it is called again before the call runs and after a restart. The verdict
   * is stored with the call.
   */
  assess(call: ProposedCall): RiskVerdict | undefined;
}
