import { freezeJson, type Json } from '@varve/events';
import { stateFields, type Projection } from '@varve/events/projections';

/**
 * Folds the last value of each field of the conversation's state: confirmation policy, tags, agent state, goal, and
 * fields of applications. Fields that were never updated are absent.
 */
export const fieldsProjection: Projection<Map<string, unknown>, ReadonlyMap<string, unknown>> = {
  name: 'fields',
  version: 1,
  scope: 'log',
  initial: () => new Map(),
  apply(fields, event) {
    for (const [key, value] of stateFields(event)) fields.set(key, value);
    return fields;
  },
  // A map cannot be frozen.
  read: (fields) => new Map([...fields].map(([key, value]) => [key, freezeJson(value)])),
  encode: (fields) => [...fields] as Json,
  decode: (json) => new Map(json as unknown as [string, unknown][]),
};
