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

interface ToolsetsState {
  /** Grows in place: a list would be copied for every fact. */
  readonly digests: Set<string>;
  readonly names: readonly string[];
}

/**
 * Folds the tool lists of a log, and the names of the tools it was last used with. Those of an imported log do not
 * count: it was used elsewhere, and a digest in it need not be that of its list.
 */
export const toolsetsProjection: Projection<ToolsetsState, Toolsets> = {
  name: 'toolsets',
  version: 4,
  scope: 'log',
  initial: () => ({ digests: new Set(), names: [] }),
  apply(toolsets, event) {
    if (importFact.read(event)) return { digests: new Set(), names: [] };
    const parameters = parametersFact.read(event);
    if (parameters) return { ...toolsets, digests: toolsets.digests.add(parameters.digest) };
    const fact = toolsetFact.read(event);
    if (!fact || toolsets.digests.has(fact.digest)) return toolsets;
    return { digests: toolsets.digests.add(fact.digest), names: fact.tools.map(({ name }) => name) };
  },
  read: ({ digests, names }) => freezeJson({ digests: [...digests], names: [...names] }),
  encode: ({ digests, names }) => ({ digests: [...digests], names }),
  decode(json) {
    const { digests, names } = json as unknown as Toolsets;
    return { digests: new Set(digests), names };
  },
};
