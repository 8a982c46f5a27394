import { freezeJson } from '@varve/events';
import { importFact, parametersFact, toolsetFact } from '@varve/events/facts';
import type { Projection } from '@varve/events/projections';

/** Tool lists and parameters of the requests in a log. */
export interface Toolsets {
  /** Digests of the lists and parameters that the log contains. */
  readonly digests: readonly string[];
  /** Names of the tools in the latest new list. */
  readonly names: readonly string[];
}

/**
 * Folds the tool lists of a log, and the names of the tools it was last used with. Those of an imported log do not
 * count: it was used elsewhere, and a digest in it need not be that of its list.
 */
export const toolsetsProjection: Projection<Toolsets> = {
  name: 'toolsets',
  version: 4,
  scope: 'log',
  initial: () => ({ digests: [], names: [] }),
  apply(toolsets, event) {
    if (importFact.read(event)) return { digests: [], names: [] };
    const parameters = parametersFact.read(event);
    if (parameters) return { ...toolsets, digests: [...toolsets.digests, parameters.digest] };
    const fact = toolsetFact.read(event);
    if (!fact || toolsets.digests.includes(fact.digest)) return toolsets;
    return { digests: [...toolsets.digests, fact.digest], names: fact.tools.map(({ name }) => name) };
  },
  read: (toolsets) => freezeJson(toolsets),
  encode: ({ digests, names }) => ({ digests, names }),
  decode: (json) => json as unknown as Toolsets,
};
