/** What may be left out of a request because a server rejects it. `effort` is the reasoning effort in any spelling. */
export type DroppedParameter = 'temperature' | 'top_p' | 'seed' | 'effort' | 'tool_choice' | 'stream_options';

/** How much of JSON Schema a server takes in tool parameters, most first; see `toolSchema`. */
export const schemaLevels = ['full', 'plain', 'google', 'flat'] as const;

/**
 * How one server, or one model behind it, wants the chat protocol spoken: what providers differ in, as data. Comes from
 * `dialectFor`, may be overridden in part, and is corrected when the server rejects something.
 */
export interface Dialect {
  /** The name of the output limit; `none` sends no limit. */
  readonly outputLimit: 'max_tokens' | 'max_completion_tokens' | 'none';
  /** `first`: one system message, at the start; later ones are told by the user. */
  readonly system: 'anywhere' | 'first';
  /** `alternating`: neighbours of the same role are one message, and the first speaker is the user. */
  readonly turns: 'free' | 'alternating';
  /** `assistant`: a user may not speak right after a tool result, so a short word of the assistant comes between. */
  readonly afterResults: 'free' | 'assistant';
  /** `plain`: at most forty letters, digits, `_` and `-`; `nine`: exactly nine letters and digits. */
  readonly callIds: 'free' | 'plain' | 'nine';
  /** What stands for no text beside calls. */
  readonly emptyContent: 'null' | 'text';
  /** Whether content may be a list of parts; without it there are neither images nor cache marks. */
  readonly parts: boolean;
  /** Whether images are taken; without it a note stands in their place, whatever the `vision` option says. */
  readonly images: boolean;
  /** Whether the server fetches images that are named by an address; else `inlinedImages` sends them themselves. */
  readonly imageUrls: boolean;
  /** Whether prefixes to cache are marked with `cache_control`. */
  readonly cacheMarks: boolean;
  /** Whether requests of one conversation share a `prompt_cache_key`. */
  readonly cacheKey: boolean;
  /** Whether a tool result names its tool. */
  readonly resultNames: boolean;
  /** When reasoning goes back to the model: never, in messages with calls (empty where none is known), or in all. */
  readonly reasoningBack: 'never' | 'with-calls' | 'always';
  readonly reasoningField: 'reasoning_content' | 'reasoning';
  /**
   * Whether reasoning is looked for in the text: `leading` between tags at its beginning, `opened` from its beginning up to
   * a closing tag.
   */
  readonly thinkTags: 'never' | 'leading' | 'opened';
  /** Whether opaque data of the same model (signatures, reasoning details) goes back to it. */
  readonly sealedBack: boolean;
  /** How the reasoning effort is spelled; the last two only know on and off. */
  readonly effort: 'reasoning_effort' | 'reasoning' | 'thinking' | 'enable_thinking';
  /** Whether replies can be streamed; without it, their pieces come all at the end. */
  readonly streams: boolean;
  /** Whether the beginning of a prompt that is too long is left out without a word. */
  readonly cutsPrompts: boolean;
  /** Whether the request must ask for the cost of the reply. */
  readonly asksForCost: boolean;
  readonly schema: (typeof schemaLevels)[number];
  readonly without: readonly DroppedParameter[];
}

/** What a server that nothing is known of can take. */
export const unknownDialect: Dialect = {
  outputLimit: 'max_tokens',
  system: 'first',
  turns: 'free',
  afterResults: 'free',
  callIds: 'free',
  emptyContent: 'null',
  parts: true,
  images: true,
  imageUrls: true,
  cacheMarks: false,
  cacheKey: false,
  resultNames: false,
  reasoningBack: 'never',
  reasoningField: 'reasoning_content',
  thinkTags: 'leading',
  sealedBack: true,
  effort: 'reasoning_effort',
  streams: true,
  cutsPrompts: false,
  asksForCost: false,
  schema: 'plain',
  without: [],
};
