import { context, SpanKind, SpanStatusCode, trace, type Span, type Tracer } from '@opentelemetry/api';
import { LlmError } from '../error.ts';
import type { GenerateOptions, ModelWrapper } from '../language-model.ts';
import { replyAttributes, requestAttributes } from './call-attributes.ts';
import { inputAttributes, outputAttributes } from './content-attributes.ts';

/** Where spans go, and what they hold. */
export interface TraceOptions {
  /** The one that the process has registered for `@varve/llm` when absent. */
  readonly tracer?: Tracer;
  /** Whether spans hold what was asked and answered; false when absent, for that is what people wrote. */
  readonly content?: boolean;
  /** Masked in that content, beside everything that looks like a key. */
  readonly secrets?: readonly string[];
}

/**
 * Makes a span of each call, by the conventions for generative models, as a child of the active span; it is active while the
 * model is asked. The first piece and what was taken back are events of it.
 */
export function traceCalls(options: TraceOptions = {}): ModelWrapper {
  const { content = false, secrets = [] } = options;
  return (model) => ({
    name: model.name,
    capabilities: model.capabilities,
    spec: model.spec,
    async generate(request, generateOptions = {}) {
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
    },
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
