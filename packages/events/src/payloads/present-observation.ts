import { text, type Content } from '../content.ts';
import type { Observation } from '../define-payload.ts';
import { observationKinds } from './observation-kinds.ts';

/** Stands before the content of a failed observation. Constant: prompt caches compare bytes. */
const errorHeader = '[The tool reported an error.]';

const byKind = new Map(observationKinds.map((definition) => [definition.kind as string, definition]));

/** What the model reads of an observation; kinds without a definition show their `content`. */
export function presentObservation(observation: Observation): readonly Content[] {
  const content = byKind.get(observation.kind)?.present(observation) ?? observation.content;
  return observation.is_error ? [text(errorHeader), ...content] : content;
}
