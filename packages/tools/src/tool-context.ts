/** What a call may use besides its input. */
export interface ToolContext {
  /** The directory the agent works in: absolute, existing, resolved. */
  readonly workspace: string;
  /** Aborts when the call is cancelled. */
  readonly signal: AbortSignal;
  /** The same for every attempt at this call; pass it on to services that deduplicate. */
  readonly idempotencyKey: string;
  /** Called with output as it comes, for people only. Must not throw. */
  readonly onOutput?: (chunk: string) => void;
}
