/** Limits of one response. A response that exceeds one fails as `reply-limit`, and is read no further. */
export interface ReplyLimits {
  /** Most bytes of the body, after decompression; 256 million by default. */
  readonly bodyBytes: number;
  /**
   * Most characters of the reply: text, reasoning, calls and opaque data together. Also of one event of a stream, and
   * of a body that is not streamed. 16 million by default.
   */
  readonly characters: number;
  /** Most events of a stream; 250,000 by default. */
  readonly events: number;
  /** Most values in one JSON text: an event of a stream, or a body that is not streamed; 100,000 by default. */
  readonly values: number;
  /** Most objects and lists inside of each other in one JSON text; 200 by default. */
  readonly depth: number;
  /** Most calls; 200 by default. */
  readonly calls: number;
}

/** Limits that hold without options. A reply of 128,000 tokens, each of them an event, stays below half of each. */
export const defaultReplyLimits: ReplyLimits = {
  bodyBytes: 256_000_000,
  characters: 16_000_000,
  events: 250_000,
  values: 100_000,
  depth: 200,
  calls: 200,
};

/** Most bytes of the body of an error, after decompression. */
export const maxErrorBytes = 1_000_000;
