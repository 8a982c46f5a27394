export { otlpFormat } from './otlp-format.ts';
export { spansOf, type OtlpSpan } from './spans.ts';
