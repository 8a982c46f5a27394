import { text, type Content } from '../content.ts';
import type { Observation } from '../define-payload.ts';
import { observationKinds } from './observation-kinds.ts';

/** Precedes the content of a failed observation. Constant, because prompt caches compare bytes. */
const errorHeader = '[The tool reported an error.]';

const byKind = new Map(observationKinds.map((definition) => [definition.kind as string, definition]));

/** Returns the content of an observation for the model. Kinds without a definition return their `content`. */
export function presentObservation(observation: Observation): readonly Content[] {
  const content = byKind.get(observation.kind)?.present(observation) ?? observation.content;
  return observation.is_error ? [text(errorHeader), ...content] : content;
}
