import type { LogFormat } from '../common/log-format.ts';
import { spansOf } from './spans.ts';

/** Spans of the conventions for generative AI, as one OTLP JSON request that a collector accepts at `/v1/traces`. */
export const otlpFormat: LogFormat = {
  name: 'otlp',
  write({ id, events }) {
    const spans = spansOf(id, events);
    const attributes = [{ key: 'service.name', value: { stringValue: 'varve' } }];
    const request = {
      resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope: { name: '@varve/interop' }, spans }] }],
    };
    const reason = 'Spans have times, names and counts only.';
    const dropped = events.length > 0 ? [{ subject: 'texts of events', count: events.length, reason }] : [];
    return { files: [{ path: '', text: `${JSON.stringify(request)}\n` }], dropped };
  },
};
