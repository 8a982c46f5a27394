import { context, type Span as ApiSpan, SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';
import type { Span, SpanSink } from '@varve/events/spans';

/**
 * Returns a sink that creates the spans of conversations with a tracer of the application. The outermost are children
 * of the span that is active where the run is started. Ids are those of the tracer. One sink is for any number of
 * conversations, and for their children.
 *
 * @param options With `content`, spans have the texts of messages, arguments and results.
 */
export function tracedBy(tracer: Tracer, { content = false }: Pick<SpanSink, 'content'> = {}): SpanSink {
  const open = new Map<string, ApiSpan>();
  const begin = ({ spanId, parentSpanId = '', name, kind, start, attributes }: Span): ApiSpan => {
    const parent = open.get(parentSpanId);
    const around = parent ? trace.setSpan(context.active(), parent) : context.active();
    const options = { kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL, startTime: start / 1000 };
    const begun = tracer.startSpan(name, { ...options, attributes: copied(attributes) }, around);
    open.set(spanId, begun);
    return begun;
  };
  return {
    content,
    begin,
    end(span) {
      const ended = open.get(span.spanId) ?? begin(span);
      open.delete(span.spanId);
      ended.setAttributes(copied(span.attributes));
      if (span.isError) ended.setStatus({ code: SpanStatusCode.ERROR });
      ended.end(span.end / 1000);
    },
  };
}

/** Returns attributes whose lists may be changed, as the interface requires. */
function copied(attributes: Span['attributes']): Record<string, string | number | boolean | string[]> {
  return structuredClone(attributes) as Record<string, string | number | boolean | string[]>;
}
