import type { Json, SecurityRisk } from '@varve/events';
import type { ProposedCall } from '../confirmation.ts';

/** Says how dangerous a call is, whatever the model says of it. */
export interface RiskAnalyzer {
  /** What rebuilds this analyzer: the reference's JSON of it, or a `kind` of your own and its options. */
  readonly spec: Json;
  /**
   * Must be pure, because it is asked again before the call runs and after a restart. Undefined when it has nothing to say
   * of such calls; `UNKNOWN` when it should, but cannot tell.
   */
  riskOf(call: ProposedCall): SecurityRisk | undefined;
}
