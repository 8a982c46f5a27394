import { textOf, type BaseEvent } from '@varve/events';
import { AgentErrorEvent, MessageEvent, ObservationEvent, ActionEvent } from '@varve/events/kinds';
import { TerminalObservation } from '@varve/events/payloads';
import { repliesOf, type ResultEvent } from '@varve/events/projections';
import type { StuckRules } from './stuck-rules.ts';

/** One reply of the agent with the results of its calls. */
export interface Turn {
  /** Index of its first event among the examined ones. */
  readonly start: number;
  /** Identifies its calls; text next to calls does not count. */
  readonly requestKey: string;
  /** Identifies the results. */
  readonly resultKey: string;
  /** True if it has calls and all of them failed. */
  readonly isFailure: boolean;
  /** Names of the tools, for messages. */
  readonly tools: readonly string[];
}

/** Returns the turns among the events of a view, in order; replies with a pending call are omitted. */
export function turnsOf(events: readonly BaseEvent[], outputs: StuckRules['outputs']): readonly Turn[] {
  const replies = repliesOf(events).flatMap(({ calls, start }): Turn[] => {
    const results = calls.flatMap(({ result }) => result ?? []);
    if (results.length < calls.length) return [];
    return [
      {
        start,
        requestKey: calls.map(({ event }) => requestKeyOf(event)).join('\n'),
        resultKey: results.map((result) => resultKeyOf(result, outputs)).join('\n'),
        isFailure: results.every(isFailure),
        tools: [...new Set(calls.map(({ event }) => event.tool_name))],
      },
    ];
  });
  const textTurns = events.flatMap((event, start): Turn[] =>
    MessageEvent.is(event) && event.source === 'agent'
      ? [{ start, requestKey: `text ${textOf(event.llm_message.content)}`, resultKey: '', isFailure: false, tools: [] }]
      : [],
  );
  return [...replies, ...textTurns].toSorted((left, right) => left.start - right.start);
}

/**
 * Reports whether the last replies can be a repetition, by comparing one call of each. Every step checks this first,
 * and for most steps it rules a loop out.
 */
export function mayRepeat(events: readonly BaseEvent[]): boolean {
  const last: ActionEvent[] = [];
  for (let index = events.length - 1; index >= 0 && last.length < 3; index--) {
    const event = events[index];
    if (!event || !ActionEvent.is(event)) continue;
    if (event.llm_response_id !== last.at(-1)?.llm_response_id) last.push(event);
  }
  const [one, two, three] = last.map(requestKeyOf);
  return three === undefined || one === two || one === three;
}

const jsonCache = new WeakMap<object, string>();

/** Caches the JSON of an event: events are examined repeatedly while they are among the last ones. */
function jsonOf(value: object): string {
  const json = jsonCache.get(value) ?? JSON.stringify(value);
  jsonCache.set(value, json);
  return json;
}

function requestKeyOf({ tool_name, action, tool_call }: ActionEvent): string {
  return `calls ${tool_name} ${action ? jsonOf(action) : tool_call.arguments}`;
}

function resultKeyOf(result: ResultEvent, outputs: StuckRules['outputs']): string {
  if (AgentErrorEvent.is(result)) return `error ${result.error}`;
  if (!ObservationEvent.is(result)) return `refused ${result.rejection_reason}`;
  const { observation } = result;
  if (outputs === 'exit-codes' && TerminalObservation.is(observation)) return `exit ${observation.exit_code}`;
  return jsonOf(observation);
}

function isFailure(result: ResultEvent): boolean {
  if (AgentErrorEvent.is(result)) return true;
  if (!ObservationEvent.is(result)) return false;
  return result.observation.is_error || isUnreadableCell(textOf(result.observation.content));
}

/**
 * Reports whether a notebook could not read a cell. It prints that as a result, whose number of the cell differs each
 * time.
 *
 * @see openhands.controller.stuck (three such messages; the same line must be named)
 */
function isUnreadableCell(text: string): boolean {
  return cellStart.test(text) && syntaxError.test(text);
}

const cellStart = /^[ \t]*(?:Cell In|File "?<ipython-input-).*line \d+$/m;
const syntaxError = /^(?:Syntax|Indentation|Tab)Error: /m;
