/** Role of a piece of text, for instance to choose its colour. `heading` and `label` occur in `eventText` only. */
export type TextMark = 'heading' | 'label' | 'user' | 'action' | 'quiet' | 'error' | 'warning' | 'success';

/** One or more lines of text for people. */
export interface TextLine {
  /** Absent for text of the agent. */
  readonly mark?: TextMark;
  /** Free of control characters except line feeds. */
  readonly text: string;
}
