import { toolsetFact } from '@varve/events/facts';
import type { Projection } from '@varve/events/projections';

/** The digests of the tool lists that a log holds already. */
export const toolsetsProjection: Projection<readonly string[]> = {
  name: 'toolsets',
  version: 1,
  scope: 'log',
  initial: () => [],
  apply(digests, event) {
    const fact = toolsetFact.read(event);
    return fact && !digests.includes(fact.digest) ? [...digests, fact.digest] : digests;
  },
  read: (digests) => digests,
  encode: (digests) => digests,
  decode: (json) => json as unknown as readonly string[],
};
