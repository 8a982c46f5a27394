import { textOf } from '@varve/events';
import { ActionEvent, MessageEvent, ObservationEvent } from '@varve/events/kinds';
import { FinishAction, type Payload } from '@varve/events/payloads';
import type { View } from '@varve/events/projections';
import type { ToolControl } from '@varve/tools';
import * as z from 'zod';
import type { Journal } from '../log/journal.ts';
import type { RunControlRecord } from '../log/projections/control-projection.ts';

/** Reports whether the agent replied after the last message of the user. */
export function isAnswered({ events }: View): boolean {
  const last = events.findLastIndex((event) => MessageEvent.is(event) && event.source === 'user');
  return events.slice(last + 1).some((event) => event.source === 'agent');
}

/** Reports whether the last event of a view is a message of the agent. */
export function endsInReply({ events }: View): boolean {
  const last = events.at(-1);
  return last !== undefined && MessageEvent.is(last) && last.source === 'agent';
}

/** Answer of the agent at the end of a run. */
export interface FinalAnswer {
  readonly text: string;
  readonly output?: Readonly<Record<string, unknown>>;
  /** Control of the call that ended the run; the text is its reason, or the result that is the answer. */
  readonly control?: ToolControl;
}

/**
 * Returns the message of the agent's last `finish` with its structured output, or its last reply of text, whichever is
 * later; else an empty text. A call with control that ended the run is the answer, or has the answer as its result.
 */
export function finalAnswer({ events }: View, { last }: { readonly last?: RunControlRecord } = {}): FinalAnswer {
  for (const event of events.toReversed()) {
    if (ActionEvent.is(event) && event.id === last?.actionId) return controlAnswer(last, events);
    if (ActionEvent.is(event) && FinishAction.is(event.action)) return answerOf(event.action);
    if (MessageEvent.is(event) && event.source === 'agent') return { text: textOf(event.llm_message.content) };
  }
  return { text: '' };
}

/** Returns the answer at the end of the last run. */
export function lastAnswer({ timeline }: Pick<Journal, 'timeline'>): FinalAnswer {
  return finalAnswer(timeline.read('view'), timeline.read('control'));
}

function controlAnswer({ actionId, control }: RunControlRecord, events: View['events']): FinalAnswer {
  if (control.kind !== 'answer') return { text: control.reason, control };
  const result = events.filter((event) => ObservationEvent.is(event)).find((event) => event.action_id === actionId);
  return { text: result ? textOf(result.observation.content) : '', control };
}

function answerOf({ message, ...fields }: Payload): FinalAnswer {
  const output = z.record(z.string(), z.unknown()).safeParse(fields['structured_output']);
  return { text: String(message), ...(output.success && { output: output.data }) };
}
