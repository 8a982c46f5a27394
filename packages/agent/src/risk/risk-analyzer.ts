import type { Json } from '@varve/events';
import type { RiskVerdict } from '@varve/events/facts';
import type { SecurityRisk } from '@varve/events/kinds';
import type { Payload } from '@varve/events/payloads';
import type { Tool } from '@varve/tools';

/** A valid call that is about to run, as policies and analyzers see it. */
export interface ProposedCall {
  readonly tool: Tool;
  /** Stored payload; `tool.fromAction` returns the input, for example for `tool.effect`. */
  readonly action: Payload;
  /** Risk according to the model; `UNKNOWN` without a rating, and for tools that only read. */
  readonly risk: SecurityRisk;
  /** Absolute path of the workspace, if the caller knows it. */
  readonly workspace?: string;
  /**
   * Directories in which a command may start, because earlier ones left the shell there: absolute, or relative to the
   * workspace; none if it starts in the workspace.
   */
  readonly directories?: readonly string[];
}

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
