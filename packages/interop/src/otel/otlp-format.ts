import { otlpTraces, spansOf } from '@varve/events/spans';
import type { LogFormat } from '../common/log-format.ts';

/** Spans of the conventions for generative AI, as one OTLP JSON request that a collector accepts at `/v1/traces`. */
export const otlpFormat: LogFormat = {
  name: 'otlp',
  write({ id, events }) {
    const request = otlpTraces(spansOf(id, events), { 'service.name': 'varve' });
    const reason = 'Spans have times, names and counts only.';
    const dropped = events.length > 0 ? [{ subject: 'texts of events', count: events.length, reason }] : [];
    return { files: [{ path: '', text: `${JSON.stringify(request)}\n` }], dropped };
  },
};
