import type { ScannedCall } from '../function-tags/scan-call.ts';

/**
 * A notation in which models write calls into their text, because their server does not turn it into calls:
 *
 * - `function-tags`: `<function=NAME>` with `<parameter=…>`, as Qwen's coders and this package write calls
 * - `tool-call-json`: `<tool_call>` around JSON, as Hermes and Qwen models do
 * - `invoke`: `<invoke name="…">` with `<parameter name="…">`, with a prefix or not, as Claude, MiniMax and DeepSeek do
 * - `arg-pairs`: `<tool_call>NAME` with `<arg_key>` and `<arg_value>`, as GLM does
 * - `json`: JSON with `name` and `arguments` alone, or in a code fence at the end
 */
export type TextCallFormat = 'function-tags' | 'tool-call-json' | 'invoke' | 'arg-pairs' | 'json';

/** Calls that a text ends with, and what it says before them. */
export interface TextCalls {
  readonly leadingText: string;
  /** At least one. */
  readonly calls: readonly ScannedCall[];
}

/** A text in which calls may stand. */
export interface CallText {
  readonly text: string;
  /** Of the same length, with blanks in place of code and quotations, for what stands in them is an example. */
  readonly prose: string;
}
