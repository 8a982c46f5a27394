import type { AttributeValue, Attributes, Span } from './span.ts';

/** Attributes in OTLP JSON. */
type KeyValues = readonly { readonly key: string; readonly value: object }[];

/** Request of OTLP over HTTP in JSON; ids are hexadecimal, and 64-bit numbers are text. */
export interface OtlpTraces {
  readonly resourceSpans: readonly [
    { readonly resource: object; readonly scopeSpans: readonly [{ readonly scope: object; readonly spans: object[] }] },
  ];
}

/**
 * Returns the request that a collector accepts at `/v1/traces`.
 *
 * @param resource Attributes of the process, such as `service.name`.
 * @see https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
export function otlpTraces(spans: readonly Span[], resource: Attributes): OtlpTraces {
  const scopeSpans = [{ scope: { name: 'varve' }, spans: spans.map(otlpSpan) }] as const;
  return { resourceSpans: [{ resource: { attributes: keyValues(resource) }, scopeSpans }] };
}

/** Numbers that are not integers by the conventions, also where their value is one. */
const fractions = new Set(['gen_ai.request.temperature', 'gen_ai.request.top_p', 'varve.cost_usd']);

/** Returns attributes in OTLP JSON. */
export function keyValues(attributes: Attributes): KeyValues {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: fractions.has(key) ? { doubleValue: value } : anyValue(value),
  }));
}

function otlpSpan({ kind, start, end, attributes, isError, ...span }: Span): object {
  return {
    ...span,
    kind: kind === 'client' ? 3 : 1,
    startTimeUnixNano: nanos(start),
    endTimeUnixNano: nanos(end),
    attributes: keyValues(attributes),
    status: isError ? { code: 2 } : {},
  };
}

/** Returns microseconds as the text of nanoseconds. */
export function nanos(micros: number): string {
  return `${micros}000`;
}

function anyValue(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return { intValue: String(value) };
  return { arrayValue: { values: value.map(anyValue) } };
}
