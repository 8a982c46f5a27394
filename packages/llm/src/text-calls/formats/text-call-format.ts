import type { ScannedCall } from '../function-tags/scan-call.ts';
import type { KnownNames } from '../function-tags/scan-parameter.ts';

/** Calls at the end of a text, and the text before them. */
export interface TextCalls {
  readonly leadingText: string;
  /** Reasoning before the calls that the format marks as such. */
  readonly reasoning?: string;
  /** At least one. */
  readonly calls: readonly ScannedCall[];
}

/** A text that may contain calls. */
export interface CallText {
  readonly text: string;
  /** The text with code and quotations blanked out, at the same length: calls in them are examples. */
  readonly prose: string;
}

/** Reader of the calls that one family of models writes into its text. */
export interface TextCallReader {
  /** Beginnings of calls, from which streamed text is held back. */
  readonly marks: readonly string[];
  /** Calls look like ordinary code: they are read only from models that have not called natively. */
  readonly isCode?: boolean;
  /**
   * Reads the calls with which a text ends. Returns undefined unless each is complete and the text ends with the last
   * one. Takes time linear in the length of the text. A value is never other than the one that the model wrote.
   */
  readonly read: (text: CallText, knownIn: (tool: string) => KnownNames) => TextCalls | undefined;
}
