import { textOf, type BaseEvent } from '@varve/events';
import {
  ActionEvent,
  AgentErrorEvent,
  CondensationSummaryEvent,
  MessageEvent,
  ObservationEvent,
  UserRejectObservation,
} from '@varve/events/kinds';
import { presentObservation } from '@varve/events/payloads';
import { truncateMiddle } from '@varve/text';

/** Options of {@link renderEvents}. */
export interface RenderOptions {
  /** Maximum length of each text in an event, in UTF-16 units; the middle of a longer one is left out. */
  readonly maxTextLength: number;
}

/**
 * Renders events as data for a model: one JSON object per line, in order, with an id that is short and unique in this
 * text, and with arguments and results of calls. No text in an event can end its line or close a tag. Summaries and
 * system prompts are not rendered.
 */
export function renderEvents(events: readonly BaseEvent[], { maxTextLength }: RenderOptions): string {
  return events
    .flatMap((event, index) => {
      const fields = fieldsOf(event);
      return fields ? [lineOf({ id: shortId(index), ...fields }, maxTextLength)] : [];
    })
    .join('\n');
}

/** Returns the id of the event at an index in a rendered text. */
export function shortId(index: number): string {
  return `e${index + 1}`;
}

/** Returns the texts of earlier summaries, oldest first. */
export function earlierSummaries(events: readonly BaseEvent[]): readonly string[] {
  return events.flatMap((event) => (CondensationSummaryEvent.is(event) ? [event.summary] : []));
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(event: BaseEvent): Fields | undefined {
  if (MessageEvent.is(event)) {
    const from = event.source === 'environment' ? 'system' : event.source;
    return { message_from: from, text: textOf([...event.llm_message.content, ...event.extended_content]) };
  }
  if (ActionEvent.is(event)) {
    const { thought, tool_name: call, tool_call } = event;
    const said = textOf(thought).trim();
    return { ...(said !== '' && { thought: said }), call, call_id: event.tool_call_id, arguments: tool_call.arguments };
  }
  if (ObservationEvent.is(event)) {
    const { tool_name: result_of, tool_call_id: call_id, observation } = event;
    return {
      result_of,
      call_id,
      ...(observation.is_error && { failed: true }),
      text: textOf(presentObservation(observation)),
    };
  }
  if (AgentErrorEvent.is(event))
    return { result_of: event.tool_name, call_id: event.tool_call_id, failed: true, text: event.error };
  if (UserRejectObservation.is(event)) {
    return {
      result_of: event.tool_name,
      call_id: event.tool_call_id,
      rejected_by_user: true,
      text: event.rejection_reason,
    };
  }
  return undefined;
}

function lineOf(fields: Fields, maxTextLength: number): string {
  const cut = (_name: string, value: unknown): unknown =>
    typeof value === 'string'
      ? truncateMiddle(value, maxTextLength, ({ chars }) => `[… ${chars} characters …]`)
      : value;
  // A slash may be escaped in JSON, and then no text contains a closing tag.
  return JSON.stringify(fields, cut).replaceAll('</', String.raw`<\/`);
}
