import type { ScannedCall } from '../function-tags/scan-call.ts';

/** Names of the formats; see {@link TextCallFormat}. */
export const textCallFormats = ['function-tags', 'tool-call-json', 'invoke', 'arg-pairs', 'json'] as const;

/**
 * Format in which models write calls into their text when their server does not turn the text into calls:
 *
 * - `function-tags`: `<function=NAME>` with `<parameter=…>`, as Qwen's coder models and this package write calls
 * - `tool-call-json`: `<tool_call>` around JSON, as Hermes and Qwen models do
 * - `invoke`: `<invoke name="…">` with `<parameter name="…">`, with a prefix or not, as Claude, MiniMax and DeepSeek do
 * - `arg-pairs`: `<tool_call>NAME` with `<arg_key>` and `<arg_value>`, as GLM does
 * - `json`: JSON with `name` and `arguments`, as the whole text or in a code fence at its end
 */
export type TextCallFormat = (typeof textCallFormats)[number];

/** Calls at the end of a text, and the text before them. */
export interface TextCalls {
  readonly leadingText: string;
  /** At least one. */
  readonly calls: readonly ScannedCall[];
}

/** A text that may contain calls. */
export interface CallText {
  readonly text: string;
  /** The text with code and quotations blanked out, at the same length: calls in them are examples. */
  readonly prose: string;
}
