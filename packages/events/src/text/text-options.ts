/** What a piece of text is, for whoever colours it. */
export type TextMark = 'heading' | 'label' | 'quiet' | 'error' | 'warning' | 'success';

/** How an event becomes text. */
export interface TextOptions {
  /**
   * Marks a piece of text, for instance by a colour; without it the text is plain. Called with text that is already safe
   * for a terminal. Must not throw.
   */
  readonly mark?: (mark: TextMark, text: string) => string;
}
