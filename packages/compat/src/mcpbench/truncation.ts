import { textOf, type BaseEvent } from '@varve/events';
import { ActionEvent, Condensation, MessageEvent, SystemPromptEvent } from '@varve/events/kinds';
import { isResult, repliesOf } from '@varve/events/projections';

/** Ways to shorten a context. Percentages are of its turns, and at least one turn stays. */
export type TruncationMethod =
  | 'keep_recent_turns'
  | 'keep_recent_percent'
  | 'delete_first_turns'
  | 'delete_first_percent';

/** Entry of `truncation_history`. */
export interface TruncationRecord {
  /** Turn at which the context was shortened. */
  readonly at_turn: number;
  readonly method: TruncationMethod | 'condensation';
  readonly value: number | null;
  readonly deleted_items: number;
  readonly deleted_turns: number;
  /** Local time without zone. */
  readonly timestamp: string;
  readonly reason?: string;
}

/** Turn: a message of the user, or a reply with its results. */
type Turn = readonly BaseEvent[];

/** Returns the turns of a branch. The prompt is not part of a turn. */
export function turnsOf(events: readonly BaseEvent[]): readonly Turn[] {
  const steps = events.filter((event) => event.kind !== 'ConversationStateUpdateEvent');
  const later = new Set(repliesOf(steps).flatMap(({ calls }) => calls.slice(1).map(({ event }) => event.id)));
  const turns: BaseEvent[][] = [];
  for (const event of events) {
    const isStart = MessageEvent.is(event) || (ActionEvent.is(event) && !later.has(event.id));
    if (isStart) turns.push([event]);
    else if (ActionEvent.is(event) || isResult(event)) turns.at(-1)?.push(event);
  }
  return turns;
}

/**
 * Returns what a truncation forgets: the ids for a `Condensation` without a summary, and its record. Calls and results
 * of a reply are one turn, so that no pair is divided.
 */
export function truncationOf(
  events: readonly BaseEvent[],
  {
    method,
    value,
    ...rest
  }: {
    readonly method: TruncationMethod;
    readonly value: number;
    readonly timestamp: string;
    readonly reason?: string;
  },
): { readonly forgottenIds: readonly string[]; readonly record: TruncationRecord } {
  const turns = turnsOf(events);
  const deleted = turns.slice(0, Math.max(0, turns.length - keptTurns(turns.length, method, value)));
  const forgottenIds = deleted.flat().map(({ id }) => id);
  const counts = { deleted_items: forgottenIds.length, deleted_turns: deleted.length };
  return { forgottenIds, record: { at_turn: Math.max(0, turns.length - 1), method, value, ...counts, ...rest } };
}

function keptTurns(count: number, method: TruncationMethod, value: number): number {
  const wanted = {
    keep_recent_turns: value,
    keep_recent_percent: Math.ceil((count * value) / 100),
    delete_first_turns: count - value,
    delete_first_percent: count - Math.floor((count * value) / 100),
  }[method];
  return Math.min(count, Math.max(1, Math.floor(wanted)));
}

/** Returns a record per condensation of a branch that removed events. */
export function truncationHistory(events: readonly BaseEvent[]): readonly TruncationRecord[] {
  return events.flatMap((event, index) => {
    if (!Condensation.is(event) || event.forgotten_event_ids.length === 0) return [];
    const turns = turnsOf(events.slice(0, index));
    const ids = new Set(event.forgotten_event_ids);
    const deleted = turns.filter((turn) => turn.every(({ id }) => ids.has(id)));
    const counts = { deleted_items: ids.size, deleted_turns: deleted.length };
    const place = { at_turn: Math.max(0, turns.length - 1), method: 'condensation' as const, value: null };
    return [{ ...place, ...counts, timestamp: event.timestamp }];
  });
}

/** Returns the message that replaces a context when it is reset: the task, and an overview of the last turns. */
export function resetMessage(events: readonly BaseEvent[], lastTurns = 10): string {
  const task = events.find((event) => MessageEvent.is(event) && event.source === 'user');
  const turns = turnsOf(events).slice(-lastTurns);
  const overview = turns.map((turn, index) => `${index + 1}. ${turn.map(summaryOf).filter(Boolean).join(' ')}`);
  const written = task && MessageEvent.is(task) ? messageText(task) : '';
  return `${written}\n\nThe context was reset. The last turns were:\n${overview.join('\n')}`;
}

/** Most characters of an event in an overview. */
const maxCharacters = 200;

function summaryOf(event: BaseEvent): string {
  if (SystemPromptEvent.is(event)) return '';
  if (MessageEvent.is(event)) return `${event.source}: ${shortened(messageText(event))}`;
  if (!ActionEvent.is(event)) return '';
  return `agent: ${[shortened(textOf(event.thought)), `called ${event.tool_name}.`].filter(Boolean).join(' ')}`;
}

function shortened(text: string): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters).toWellFormed()}…` : text;
}

/** Returns the text of a message with what was added to it. */
function messageText({ llm_message, extended_content }: MessageEvent): string {
  return textOf([...llm_message.content, ...extended_content]);
}
