import type { BaseEvent } from '@varve/events';
import { callFact, type Call } from '@varve/events/facts';
import { ActionEvent } from '@varve/events/kinds';
import { isResult } from '@varve/events/projections';

/** Value of an attribute in OTLP JSON. */
type AttributeValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly arrayValue: { readonly values: readonly { readonly stringValue: string }[] } };

/** Span in OTLP JSON. @see https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 1: internal, 3: client. */
  readonly kind: 1 | 3;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: AttributeValue }[];
  /** Code 2: error. */
  readonly status?: { readonly code: 2 };
}

/**
 * Returns the spans of a conversation: one of the agent, one per reply of a model, one per executed call. Ids are
 * derived from those of the conversation and its events, so that a second export has the same ones. Spans contain no
 * texts of messages, arguments or results.
 *
 * @param id Id of the conversation.
 * @see https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans/
 */
export function spansOf(id: string, events: readonly BaseEvent[]): readonly OtlpSpan[] {
  const traceId = hexOf(id, 32);
  const root = hexOf(`${id}-agent`, 16);
  const inside = { traceId, parentSpanId: root };
  const spans = [...callSpans(events, inside), ...toolSpans(events, inside)];
  const times = events.map(({ timestamp }) => nanosOf(timestamp)).filter((nanos) => nanos > 0n);
  const starts = [...times, ...spans.map(({ startTimeUnixNano }) => BigInt(startTimeUnixNano))];
  if (starts.length === 0) return [];
  const agent: OtlpSpan = {
    traceId,
    spanId: root,
    name: 'invoke_agent varve',
    kind: 1,
    startTimeUnixNano: String(starts.reduce((least, nanos) => (nanos < least ? nanos : least))),
    endTimeUnixNano: String(starts.reduce((most, nanos) => (nanos > most ? nanos : most))),
    attributes: attributes({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'varve',
      'gen_ai.conversation.id': id,
    }),
  };
  return [agent, ...spans];
}

interface SpanContext {
  readonly traceId: string;
  readonly parentSpanId: string;
}

function callSpans(events: readonly BaseEvent[], inside: SpanContext): readonly OtlpSpan[] {
  return events.flatMap((event): readonly OtlpSpan[] => {
    const call = callFact.read(event);
    // The original conversation has the span of a copied reply.
    if (!call || call.inherited === true) return [];
    const end = BigInt(Math.round(call.at)) * 1_000_000n;
    const start = end - BigInt(Math.round(call.latency_ms * 1000)) * 1000n;
    return [
      {
        ...inside,
        spanId: hexOf(event.id, 16),
        name: `chat ${call.model}`,
        kind: 3,
        startTimeUnixNano: String(start < 0n ? 0n : start),
        endTimeUnixNano: String(end),
        attributes: attributes(callAttributes(call)),
      },
    ];
  });
}

function callAttributes({ model, response_id, finish, usage, usage_id }: Call): Record<string, Attribute> {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': model,
    'gen_ai.response.id': response_id,
    'gen_ai.response.finish_reasons': [finish],
    ...(usage && {
      'gen_ai.usage.input_tokens': usage.input_tokens,
      'gen_ai.usage.output_tokens': usage.output_tokens,
      'gen_ai.usage.cache_read.input_tokens': usage.cache_read_tokens,
      'gen_ai.usage.cache_creation.input_tokens': usage.cache_write_tokens,
    }),
    'varve.usage_id': usage_id,
  };
}

/** Returns a span per call with a result, from the event of the call to the event of its result. */
function toolSpans(events: readonly BaseEvent[], inside: SpanContext): readonly OtlpSpan[] {
  const actions = new Map<string, BaseEvent>();
  return events.flatMap((event): readonly OtlpSpan[] => {
    if (ActionEvent.is(event)) actions.set(event.tool_call_id, event);
    if (!isResult(event)) return [];
    const action = actions.get(event.tool_call_id);
    actions.delete(event.tool_call_id);
    if (!action) return [];
    const isError = event.kind !== 'ObservationEvent';
    return [
      {
        ...inside,
        spanId: hexOf(action.id, 16),
        name: `execute_tool ${event.tool_name}`,
        kind: 1,
        startTimeUnixNano: String(nanosOf(action.timestamp)),
        endTimeUnixNano: String(nanosOf(event.timestamp)),
        attributes: attributes({
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': event.tool_name,
          'gen_ai.tool.call.id': event.tool_call_id,
          'gen_ai.tool.type': 'function',
          ...(isError && { 'error.type': event.kind }),
        }),
        ...(isError && { status: { code: 2 as const } }),
      },
    ];
  });
}

type Attribute = string | number | readonly string[];

function attributes(values: Readonly<Record<string, Attribute>>): OtlpSpan['attributes'] {
  return Object.entries(values).map(([key, value]) => ({ key, value: attributeValue(value) }));
}

function attributeValue(value: Attribute): AttributeValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'number') return { intValue: String(value) };
  return { arrayValue: { values: value.map((item) => ({ stringValue: item })) } };
}

/** Returns the nanoseconds since 1970 of a timestamp, which is local time; 0 for other text. */
function nanosOf(timestamp: string): bigint {
  const ms = Date.parse(timestamp.slice(0, 19));
  const micros = /\.(\d{1,6})/.exec(timestamp)?.[1]?.padEnd(6, '0') ?? '0';
  return Number.isNaN(ms) ? 0n : BigInt(ms) * 1_000_000n + BigInt(micros) * 1000n;
}

/** Returns an id of `digits` hexadecimal digits, of which at least one is not 0: FNV-1a of the text. */
function hexOf(text: string, digits: 16 | 32): string {
  const hex = text.replaceAll('-', '');
  if (digits === 32 && /^[0-9a-f]{32}$/.test(hex) && /[1-9a-f]/.test(hex)) return hex;
  return (digits === 32 ? [`${text}/1`, text] : [text]).map((part) => fnv1a(part)).join('');
}

/** Returns the 64-bit FNV-1a hash as 16 hexadecimal digits. @see RFC 9923 */
function fnv1a(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const character of new TextEncoder().encode(text)) {
    hash = ((hash ^ BigInt(character)) * 0x100000001b3n) & 0xffffffffffffffffn;
  }
  return (hash === 0n ? 1n : hash).toString(16).padStart(16, '0');
}
