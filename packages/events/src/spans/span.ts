/** Value of an attribute. */
export type AttributeValue = string | number | boolean | readonly string[];

/** Attributes by the names of the conventions; names of this project begin with `varve.`. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** Work of a conversation with a start and an end. Times are UTC microseconds. */
export interface Span {
  /** 32 hex digits, of the event that began the outermost run: spans of one run and of its sub-agents share it. */
  readonly traceId: string;
  /** 16 hex digits, of the event that the span describes. */
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** `client` for calls of models, which other processes answer. */
  readonly kind: 'internal' | 'client';
  readonly start: number;
  /** Not before the start. */
  readonly end: number;
  readonly attributes: Attributes;
  /** True if the work failed: `error.type` names the reason. */
  readonly isError?: true;
}

/** Receives the spans of a conversation once their events are stored. Must not throw. */
export interface SpanSink {
  /** True to receive texts of messages, arguments and results, in which secrets are masked; default false. */
  readonly content?: boolean;
  /** Called when a span begins, after its parent; its end and its last attributes are not known yet. */
  begin?(span: Span): void;
  /** Called when a span has ended; those that another process began too. Children end before their parent, or later. */
  end(span: Span): void;
}
