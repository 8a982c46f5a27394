/**
 * The quirks of model servers, as data. To add one:
 *
 * - A known value for one provider or model: a row in `dialect-rules.ts`.
 * - A quirk that a server's rejection reveals: a row in `workarounds.ts`.
 * - A quirk of a new kind: a field here, its default in {@link unknownDialect}, and a line where the field is applied:
 *   `tool-schema.ts`, `tool-names.ts` and `call-ids.ts` in this folder, `wire-*.ts` and `cache-marks.ts` in `../chat`,
 *   `to-items.ts` and `to-response-body.ts` in `../responses`.
 */

/** Parameters that are left out when a server rejects them. `effort` is the reasoning effort in any spelling. */
export const optionalParameters = ['temperature', 'top_p', 'seed', 'effort', 'tool_choice', 'stream_options'] as const;

/** A parameter that is left out because a server rejects it. */
export type DroppedParameter = (typeof optionalParameters)[number];

/** Levels of JSON Schema in tool parameters, from most to least; see `toolSchema`. */
export const schemaLevels = ['full', 'plain', 'google', 'flat', 'texts'] as const;

/**
 * Variant of the protocol that one server, or one model at a server, accepts. Comes from `dialectFor`, can be
 * overridden in part, and is corrected when the server rejects a request.
 */
export interface Dialect {
  /** Name of the output limit; `none` sends no limit. */
  readonly outputLimit: 'max_tokens' | 'max_completion_tokens' | 'none';
  /** `first`: one system message, at the start; later ones are sent as user messages. */
  readonly system: 'anywhere' | 'first';
  /** `alternating`: adjacent messages of one role are merged, and the first message is the user's. */
  readonly turns: 'free' | 'alternating';
  /** `assistant`: a short assistant message is inserted between a tool result and a user message. */
  readonly afterResults: 'free' | 'assistant';
  /** `plain`: at most 40 letters, digits, `_` and `-`; `nine`: exactly nine letters and digits. */
  readonly callIds: 'free' | 'plain' | 'nine';
  /** Content of an assistant message that has calls and no text. */
  readonly emptyContent: 'null' | 'text';
  /** True when content may be a list of parts; otherwise neither images nor cache marks are sent. */
  readonly parts: boolean;
  /** True when the server fetches images by URL; otherwise `inlinedImages` sends their bytes. */
  readonly imageUrls: boolean;
  /** True when prefixes to cache are marked with `cache_control`. */
  readonly cacheMarks: boolean;
  /** True when requests of one conversation share a `prompt_cache_key`. */
  readonly cacheKey: boolean;
  /** True when a tool result contains the name of its tool. */
  readonly resultNames: boolean;
  /** Messages whose reasoning is sent back: none, those with calls (empty where it is unknown), or all. */
  readonly reasoningBack: 'never' | 'with-calls' | 'always';
  readonly reasoningField: 'reasoning_content' | 'reasoning';
  /**
   * Reasoning inside the text: `leading` between tags at the start of the text, `opened` from the start of the text to
   * a closing tag.
   */
  readonly thinkTags: 'never' | 'leading' | 'opened';
  /** True when opaque data of the same model (signatures, reasoning details) is sent back to it. */
  readonly sealedBack: boolean;
  /** Spelling of the reasoning effort; the last two only distinguish on and off. */
  readonly effort: 'reasoning_effort' | 'reasoning' | 'thinking' | 'enable_thinking';
  /** True when replies can be streamed; otherwise all deltas are emitted at the end. */
  readonly streams: boolean;
  /** True when the server drops the start of a prompt that is too long without reporting it. */
  readonly cutsPrompts: boolean;
  /** True when the request must ask for the cost of the reply. */
  readonly asksForCost: boolean;
  readonly schema: (typeof schemaLevels)[number];
  readonly without: readonly DroppedParameter[];
}

/** Dialect of a server without a rule. */
export const unknownDialect: Dialect = {
  outputLimit: 'max_tokens',
  system: 'first',
  turns: 'free',
  afterResults: 'free',
  callIds: 'free',
  emptyContent: 'null',
  parts: true,
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
