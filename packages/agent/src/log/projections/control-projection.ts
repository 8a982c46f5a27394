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
    return { last: { actionId: fact.action_id, control: controlOf(fact) } };
  },
  read: (state) => Object.freeze({ ...state }),
  encode: (state) => JSON.parse(JSON.stringify(state)) as Json,
  decode: (json) => json as unknown as { readonly last?: RunControlRecord },
};

function controlOf({
  control: kind,
  agent = '',
  reason,
}: NonNullable<ReturnType<typeof controlFact.read>>): ToolControl {
  if (kind === 'transfer') return { kind, agent, reason };
  return kind === 'answer' ? { kind } : { kind, reason };
}
