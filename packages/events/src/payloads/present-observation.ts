import { text, type Content } from '../content.ts';
import type { Observation } from '../define-payload.ts';
import { BrowserObservation } from './browser-observation.ts';
import { TaskObservation } from './task.ts';
import { TerminalObservation } from './terminal.ts';
import { ConsultTomObservation, SleeptimeComputeObservation } from './tom.ts';

/** Precedes the content of a failed observation. Constant, because prompt caches compare bytes. */
const errorHeader = '[The tool reported an error.]';

/**
 * Observations whose content for the model may differ from their `content`. Only these, because every page with a
 * timeline contains them.
 */
const presented = [
  BrowserObservation,
  ConsultTomObservation,
  SleeptimeComputeObservation,
  TaskObservation,
  TerminalObservation,
];
const byKind = new Map(presented.map((definition) => [definition.kind as string, definition]));

/** Returns the content of an observation for the model. Kinds without a definition return their `content`. */
export function presentObservation(observation: Observation): readonly Content[] {
  const content = byKind.get(observation.kind)?.present(observation) ?? observation.content;
  return observation.is_error ? [text(errorHeader), ...content] : content;
}
