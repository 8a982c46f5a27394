import type { Delta, ModelWrapper } from '@varve/llm';
import type { RedactionStream, Redactor } from '@varve/text';

/**
 * Returns a wrapper whose models send pieces of replies without secrets, also one that is spread over several pieces: a
 * piece that may be the start of a secret is sent with the next one, or at the end of the reply. Pieces of the
 * arguments of calls stay as they are.
 */
export function maskDeltas(redactor: Pick<Redactor, 'stream'>): ModelWrapper {
  return (model) => ({
    name: model.name,
    spec: model.spec,
    capabilities: model.capabilities,
    async generate(request, options = {}) {
      const { onDelta } = options;
      if (!onDelta) return model.generate(request, options);
      const deltas = maskedDeltas(redactor, onDelta);
      const reply = await model.generate(request, { ...options, onDelta: (delta) => deltas.push(delta) });
      deltas.end();
      return reply;
    },
  });
}

function maskedDeltas(redactor: Pick<Redactor, 'stream'>, onDelta: (delta: Delta) => void) {
  const streams = new Map<'text' | 'reasoning', RedactionStream>();
  const send = (kind: 'text' | 'reasoning', text: string): void => {
    if (text !== '') onDelta({ kind, text });
  };
  return {
    push(delta: Delta): void {
      if (delta.kind === 'reset') streams.clear();
      if (delta.kind !== 'text' && delta.kind !== 'reasoning') return onDelta(delta);
      const stream = streams.get(delta.kind) ?? redactor.stream();
      streams.set(delta.kind, stream);
      return send(delta.kind, stream.push(delta.text));
    },
    end(): void {
      for (const [kind, stream] of streams) send(kind, stream.end());
    },
  };
}
