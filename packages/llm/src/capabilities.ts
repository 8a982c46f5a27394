/** Capabilities of a model. Unknown numbers are absent, never guessed. */
export interface Capabilities {
  /** Requests may have tools, sent natively or as text; without it, `generate` rejects tools with `unsupported`. */
  readonly functionCalling: boolean;
  /** The model sees images; without it, each image is replaced by a note. */
  readonly vision: boolean;
  /** Deltas arrive while the reply is generated; without it, all at its end. */
  readonly streaming: boolean;
  /** Tokens of prompt and reply together. */
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
}
