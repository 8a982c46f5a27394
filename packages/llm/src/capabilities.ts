/** What a model can do. Unknown numbers are absent, never guessed. */
export interface Capabilities {
  /** Requests may have tools, however they travel; without it, `generate` rejects tools with `unsupported`. */
  readonly functionCalling: boolean;
  /** Images are seen; without it, a note stands in their place. */
  readonly vision: boolean;
  /** Pieces come while the reply is made; without it, all at its end. */
  readonly streaming: boolean;
  /** Tokens of prompt and reply together. */
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
}
