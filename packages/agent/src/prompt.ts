/** What a prompt may depend on. */
export interface PromptContext {
  /** The directory the agent works in. */
  readonly workspace: string;
  /** `linux`, `darwin`, … */
  readonly platform: string;
  /** Local date, `2026-01-31`. */
  readonly today: string;
}

/** Instructions a conversation starts with. */
export interface PromptText {
  /** The same for every conversation, so that providers can cache it across them. */
  readonly fixed: string;
  /** What only this conversation knows. */
  readonly dynamic?: string;
}

/** Makes the system prompt. Called once per conversation: the result is stored, and resuming uses what is stored. */
export type Prompt = (context: PromptContext) => PromptText;
