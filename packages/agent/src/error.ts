import { CodedError } from '@varve/text';

/** Codes of errors that the caller can handle. The end of a run is not an error: see `RunResult`. */
export type AgentErrorCode =
  /**
   * An invalid option: two tools with one name, a workspace that is not a directory, a limit below 1, an empty message.
   */
  | 'invalid'
  /** The conversation is running; wait for it, pause it or interrupt it first. */
  | 'busy'
  /**
   * A stored conversation was used with tools that the agent lacks, or by an agent of another kind; add the tools, or
   * accept that they are missing.
   */
  | 'tools-missing'
  /** A stored agent has parts that cannot be rebuilt here; pass an agent, or registries that have them. */
  | 'not-rebuilt'
  /** The stored confirmation policy can be made by its application only; set one on the agent. */
  | 'policy-missing'
  /** The conversation was used with hooks, and the agent has none: pass them, or none explicitly. */
  | 'hooks-missing'
  /** A hook blocked the message. */
  | 'blocked'
  /**
   * A fork whose process died before it was complete, and whose origin was removed: remove the fork. Or an import whose
   * process died: import it again.
   */
  | 'incomplete'
  /** Calls are open: run, approve or reject them first. */
  | 'pending'
  /** There is no pending action with this id, or none at all. */
  | 'nothing-pending'
  /** The pending calls are not those of the digest that was approved; show them again. */
  | 'calls-changed'
  /** The conversation has no message yet. */
  | 'nothing-to-do'
  /** Another process took the conversation over, so this object stores nothing any more; open it again. */
  | 'taken-over'
  | 'closed';

/** Error class of this package. Storage failures pass through as `StorageError`. */
export class AgentError extends CodedError<AgentErrorCode> {
  override readonly name = 'AgentError';
}
