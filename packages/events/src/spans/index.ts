export { keyValues, nanos, otlpTraces, type OtlpTraces } from './otlp.ts';
export { SpanFold, spansOf } from './span-fold.ts';
export type { Attributes, Span, SpanSink } from './span.ts';
