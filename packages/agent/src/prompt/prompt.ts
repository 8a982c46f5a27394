import type { Json } from '@varve/events';

/** Input of a {@link Prompt}. */
export interface PromptContext {
  /** Working directory of the agent. */
  readonly workspace: string;
  /** `linux`, `darwin`, … */
  readonly platform: string;
  /** Local date, `2026-01-31`. */
  readonly today: string;
}

/** Instructions at the start of a conversation. */
export interface PromptText {
  /** Equal for every conversation, so that providers can cache it across them. */
  readonly fixed: string;
  /** Text for this conversation only. */
  readonly dynamic?: string;
}

/** Makes the system prompt. Called once per conversation: the result is stored, and resuming uses the stored text. */
export interface Prompt {
  (context: PromptContext): PromptText;
  /** JSON from which this prompt can be rebuilt; absent for a function of the application. */
  readonly spec?: Json;
}

/** Returns a prompt of fixed text. */
export function textPrompt(text: string): Prompt {
  return Object.assign(() => ({ fixed: text }), { spec: { kind: 'text', text } });
}
