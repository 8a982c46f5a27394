import { parametersFact, toolsetFact } from '@varve/events/facts';
import type { Projection } from '@varve/events/projections';

/** The tool lists that models were offered in a log, and the parameters they were asked with. */
export interface Toolsets {
  /** Of those lists and parameters that the log holds already. */
  readonly digests: readonly string[];
  /** Of the tools in the last one that is new. */
  readonly names: readonly string[];
}

/** Which tool lists a log holds, and which tools it was worked on with last. */
export const toolsetsProjection: Projection<Toolsets> = {
  name: 'toolsets',
  version: 3,
  scope: 'log',
  initial: () => ({ digests: [], names: [] }),
  apply(toolsets, event) {
    const parameters = parametersFact.read(event);
    if (parameters) return { ...toolsets, digests: [...toolsets.digests, parameters.digest] };
    const fact = toolsetFact.read(event);
    if (!fact || toolsets.digests.includes(fact.digest)) return toolsets;
    return { digests: [...toolsets.digests, fact.digest], names: fact.tools.map(({ name }) => name) };
  },
  read: (toolsets) => toolsets,
  encode: ({ digests, names }) => ({ digests, names }),
  decode: (json) => json as unknown as Toolsets,
};
