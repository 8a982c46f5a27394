import type { Span, Tracer } from '@opentelemetry/api';
import { LlmError } from '../../error.ts';
import type { GenerateOptions, ModelWrapper } from '../../language-model.ts';
import { wrappedModel } from '../../wrapped-model.ts';
import { replyAttributes, requestAttributes } from './call-attributes.ts';
import { inputAttributes, outputAttributes } from './content-attributes.ts';

/** Options of {@link traceCalls}. */
export interface TraceOptions {
  /** By default the tracer that the process has registered for `@varve/llm`. */
  readonly tracer?: Tracer;
  /** Adds the text of requests and replies to spans; false by default, because it is user content. */
  readonly content?: boolean;
  /** Masked in that text, as is everything that looks like a key. */
  readonly secrets?: readonly string[];
}

/**
 * Creates a span for each call, following the OpenTelemetry conventions for generative AI, as a child of the active
 * span. The span is active during the call. The first delta and each `reset` are events of the span.
 */
export function traceCalls(options: TraceOptions = {}): ModelWrapper {
  const { content = false, secrets = [] } = options;
  return (model) =>
    wrappedModel(model, async (request, generateOptions = {}) => {
      const { context, SpanKind, SpanStatusCode, trace } = await import('@opentelemetry/api');
      const tracer = options.tracer ?? trace.getTracer('@varve/llm');
      const attributes = requestAttributes(model, request);
      const span = tracer.startSpan(`chat ${model.name}`, { kind: SpanKind.CLIENT, attributes });
      if (content && span.isRecording()) span.setAttributes(inputAttributes(request, secrets));
      try {
        const active = trace.setSpan(context.active(), span);
        const reply = await context.with(active, () => model.generate(request, withSpanEvents(span, generateOptions)));
        span.setAttributes(replyAttributes(reply));
        if (content && span.isRecording()) span.setAttributes(outputAttributes(reply, secrets));
        return reply;
      } catch (error) {
        span.setAttribute('error.type', error instanceof LlmError ? error.code : '_OTHER');
        span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof LlmError ? error.message : 'A bug.' });
        throw error;
      } finally {
        span.end();
      }
    });
}

function withSpanEvents(span: Span, options: GenerateOptions): GenerateOptions {
  const { onDelta } = options;
  if (!onDelta) return options;
  let isFirst = true;
  return {
    ...options,
    onDelta(delta) {
      if (delta.kind === 'reset') span.addEvent('varve.reset', { reason: delta.reason });
      else if (isFirst) span.addEvent('varve.first_piece');
      isFirst = delta.kind === 'reset';
      onDelta(delta);
    },
  };
}
