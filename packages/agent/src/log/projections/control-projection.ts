import type { Json } from '@varve/events';
import { controlFact, importFact } from '@varve/events/facts';
import type { Projection } from '@varve/events/projections';
import type { ToolControl } from '@varve/tools';

/** Control of a call over the run. */
export interface RunControlRecord {
  readonly actionId: string;
  readonly control: ToolControl;
}

/**
 * Folds the last call that had control over a run. It counts while its action is the last of the view. One of an
 * imported log has none here.
 */
export const controlProjection: Projection<{ readonly last?: RunControlRecord }> = {
  name: 'control',
  version: 2,
  scope: 'log',
  initial: () => ({}),
  apply(state, event) {
    if (importFact.read(event)) return {};
    const fact = controlFact.read(event);
    if (!fact) return state;
    const { action_id: actionId, control: kind, agent = '', reason } = fact;
    return { last: { actionId, control: kind === 'transfer' ? { kind, agent, reason } : { kind, reason } } };
  },
  read: (state) => Object.freeze({ ...state }),
  encode: (state) => JSON.parse(JSON.stringify(state)) as Json,
  decode: (json) => json as unknown as { readonly last?: RunControlRecord },
};
