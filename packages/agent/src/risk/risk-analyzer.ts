import type { Json } from '@varve/events';
import type { SecurityRisk } from '@varve/events/kinds';
import type { Payload } from '@varve/events/payloads';
import type { Tool } from '@varve/tools';

/** A valid call that is about to run, as a policy sees it. */
export interface ProposedCall {
  readonly tool: Tool;
  /** The payload as it is stored; `tool.fromAction` gives the input, for `tool.effect` and the like. */
  readonly action: Payload;
  /** What the model itself says of the danger; `UNKNOWN` when it said nothing, and for tools that only read. */
  readonly risk: SecurityRisk;
}

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
