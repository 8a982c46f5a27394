import { textOf, type BaseEvent } from '@varve/events';
import { AgentErrorEvent, MessageEvent, ObservationEvent, ActionEvent } from '@varve/events/kinds';
import { TerminalObservation } from '@varve/events/payloads';
import { repliesOf, type ResultEvent } from '@varve/events/projections';
import type { StuckRules } from './stuck-rules.ts';

/** What the agent did at once: one reply, with the results of its calls. */
export interface Turn {
  /** Index of its first event among those that were looked at. */
  readonly start: number;
  /** What was asked for, whatever was said beside it. */
  readonly requestKey: string;
  /** What came of it. */
  readonly resultKey: string;
  /** There were calls, and all of them failed. */
  readonly isFailure: boolean;
  /** Names of the tools, for telling. */
  readonly tools: readonly string[];
}

/** The agent's replies among the events of a view, in order; what has no result yet is left out. */
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
  const words = events.flatMap((event, start): Turn[] =>
    MessageEvent.is(event) && event.source === 'agent'
      ? [{ start, requestKey: `says ${textOf(event.llm_message.content)}`, resultKey: '', isFailure: false, tools: [] }]
      : [],
  );
  return [...replies, ...words].toSorted((left, right) => left.start - right.start);
}

/**
 * Whether the last replies can repeat those before them, told by one call of each: what nearly every step asks, and mostly
 * needs to ask no further.
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

/** Events are looked at many times while they are among the last ones; their JSON is written once. */
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
  return AgentErrorEvent.is(result) || (ObservationEvent.is(result) && result.observation.is_error);
}
