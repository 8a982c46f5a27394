import type { Json } from '../json.ts';
import type { Projection } from '../fold/projection.ts';
import { stateFields } from './state-fields.ts';

interface FieldsState {
  fields: Map<string, unknown>;
  /** True if the map was returned: copy it before changing it. */
  isShared: boolean;
}

/**
 * Folds the last value of each field of the conversation's state: confirmation policy, tags, agent state, goal, and
 * fields of applications. Fields that were never updated are absent.
 */
export const fieldsProjection: Projection<FieldsState, ReadonlyMap<string, unknown>> = {
  name: 'fields',
  version: 1,
  scope: 'log',
  initial: () => ({ fields: new Map(), isShared: false }),
  apply(state, event) {
    const changes = stateFields(event);
    if (changes.length > 0 && state.isShared) {
      state.fields = new Map(state.fields);
      state.isShared = false;
    }
    for (const [key, value] of changes) state.fields.set(key, value);
    return state;
  },
  read(state) {
    state.isShared = true;
    return state.fields;
  },
  encode: ({ fields }) => [...fields] as Json,
  decode: (json) => ({ fields: new Map(json as unknown as [string, unknown][]), isShared: false }),
};
