/** What a caller of a conversation can act on. How a run ended is not an error: see `RunResult`. */
export type AgentErrorCode =
  /** What makes no sense: two tools of one name, a workspace that is no directory, a limit below 1, an empty message. */
  | 'invalid'
  /** The conversation is running; wait for it, pause it or interrupt it first. */
  | 'busy'
  /**
   * A stored conversation was worked on with tools that the agent lacks, or by an agent of another kind; give it them, or accept
   * that they are missing.
   */
  | 'tools-missing'
  /** Calls of a stored conversation are confirmed by a policy that only its owner can make; give the agent one. */
  | 'policy-missing'
  /** A fork whose process died before it was whole, of a conversation that is gone; remove it. */
  | 'incomplete'
  /** Calls are open: run, approve or reject them first. */
  | 'pending'
  /** There is no pending action with this id, or none at all. */
  | 'nothing-pending'
  /** Nothing was said yet, so there is nothing to run. */
  | 'nothing-to-do'
  /** Somebody else took it over, so that nothing more of this one is stored; open it again. */
  | 'taken-over'
  | 'closed';

/** The one error class of this package. Storage failures pass through as `StorageError`: the log decides what is true. */
export class AgentError extends Error {
  override readonly name = 'AgentError';
  readonly code: AgentErrorCode;

  constructor(code: AgentErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
