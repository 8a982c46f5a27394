import { text, type BaseEvent, type Content } from '@varve/events';
import { ChatLog, type ChatPlace } from '../common/chat-log.ts';
import { byIndex, differencesOf, type Differences } from '../common/differences.ts';
import { fieldsOf, stringOf, type Fields } from '../common/foreign-json.ts';
import type { ForeignLog, ReadOptions } from '../common/log-format.ts';
import { eventOf, type Event } from './event.ts';
import { EventWriter } from './event-writer.ts';
import { isTruthy, partsOfType, textOfEvent, thinkingOf } from './properties.ts';

/** Names of the formats in facts: of an event, and of the fields of a session. */
export const orxhestraFormats = { event: 'orxhestra', session: 'orxhestra-session' } as const;

/** A session: the fields of its record except the events, and these. */
export interface SessionRecord {
  readonly fields: Fields;
  readonly events: readonly unknown[];
}

/**
 * Reads the events of a session. Starts and ends of agents, partial events and ReAct steps without text are kept
 * without an event. A compaction forgets the events of its branch in its range. Signatures are kept, not checked.
 */
export function readEvents({ fields, events }: SessionRecord, { newId }: ReadOptions): ForeignLog {
  const reader = new EventReader(newId);
  for (const [index, event] of events.entries()) reader.add(event, `event ${index}`);
  const session = { format: orxhestraFormats.session, ...differencesOf({}, fields) };
  if (Object.keys(fields).length > 0) reader.log.keep(session, 'the session');
  const id = stringOf(fields['id']) ?? events.map((event) => stringOf(fieldsOf(event)?.['session_id'])).find(Boolean);
  return reader.log.result([], { id });
}

class EventReader {
  readonly log: ChatLog;
  /** Writes what was read again, to compare it with the records. No record has its name. */
  readonly #writer = new EventWriter({ sessionId: undefined, agentName: '\0' });
  readonly #replyIds = new Set<string>();
  readonly #read: { readonly id: string; readonly branch: string; readonly seconds: number }[] = [];

  constructor(newId: () => string) {
    this.log = new ChatLog(newId);
  }

  add(value: unknown, place: string): void {
    const record = fieldsOf(value);
    const event = eventOf(value);
    if (!record) return void this.log.problems.push({ place, reason: 'It is not an object.' });
    if (!event) this.log.problems.push({ place, reason: 'Its type is unknown.' });
    const added = event ? this.#addEvent(event, { place, time: event.timestamp * 1000 }) : [];
    this.#writer.announce(added);
    for (const [index, addedEvent] of added.entries()) {
      const written = this.#writer.next(addedEvent);
      this.#keep(differencesOf(byIndex(written), byIndex(index === 0 ? [record] : [])), { of: addedEvent, place });
    }
    if (added.length === 0) this.#keep(differencesOf({}, byIndex([record])), { place });
    return undefined;
  }

  #addEvent(event: Event, at: ChatPlace): readonly BaseEvent[] {
    if (event.partial === true || event.type === 'agent_start' || event.type === 'agent_end') return [];
    const added = this.#addWhole(event, at);
    const { branch, timestamp: seconds, actions } = event;
    if (!actions.compaction) this.#read.push(...added.map(({ id }) => ({ id, branch, seconds })));
    return added;
  }

  #addWhole(event: Event, at: ChatPlace): readonly BaseEvent[] {
    const { type, author, metadata, branch, id, actions } = event;
    if (actions.compaction) {
      const { start_timestamp: start, end_timestamp: end, summary } = actions.compaction;
      const inside = this.#read.filter(
        (record) => record.branch === branch && record.seconds >= start && record.seconds <= end,
      );
      return this.log.addSummary(
        summary,
        at,
        inside.map((record) => record.id),
      );
    }
    if (type === 'tool_response') return this.#addResponses(event, at);
    const content = contentOf(event);
    if (type === 'user_message') return this.log.addMessage(author === 'system' ? 'environment' : 'user', content, at);
    if (isTruthy(metadata['error'])) {
      return this.log.addFailure(stringOf(metadata['exception_type']) ?? 'error', textOfEvent(event), at);
    }
    const calls = partsOfType(event, 'tool_call').map((call) => ({
      id: call.tool_call_id,
      name: call.tool_name,
      arguments: JSON.stringify(call.args),
    }));
    const plainText = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
    if (plainText === '' && calls.length === 0) return [];
    const thinking = thinkingOf(event);
    // Calls with one id are one reply, so the id of a record that occurs twice is not used again.
    const replyId = id === '' || this.#replyIds.has(id) ? at.place : id;
    this.#replyIds.add(replyId);
    const reply = { id: replyId, text: plainText, calls, ...(thinking !== '' && { reasoning: thinking }) };
    return this.log.addReply(reply, at);
  }

  #addResponses(event: Event, at: ChatPlace): readonly BaseEvent[] {
    return partsOfType(event, 'tool_response').flatMap(({ tool_call_id, result, error }) => {
      const outcome = error ?? result;
      const content = outcome === '' ? [] : [text(outcome)];
      return this.log.addResult(tool_call_id, content, { ...at, isError: error !== null });
    });
  }

  #keep(differences: Differences, { of, place }: { readonly of?: BaseEvent; readonly place: string }): void {
    if (differences.changed.length + differences.removed.length === 0) return;
    this.log.keep({ format: orxhestraFormats.event, ...(of && { event_id: of.id }), ...differences }, place);
  }
}

/** Returns what a model reads of an event: its texts, its data as JSON, and its images. */
function contentOf(event: Event): readonly Content[] {
  const title = textOfEvent(event);
  const images = event.content.parts.flatMap((part) => {
    if (part.type !== 'file' || !part.mime_type?.startsWith('image/')) return [];
    return part.inline_bytes === null ? [] : [`data:${part.mime_type};base64,${part.inline_bytes}`];
  });
  return [
    ...(title === '' ? [] : [text(title)]),
    ...partsOfType(event, 'data').map(({ data }) => text(JSON.stringify(data))),
    ...(images.length > 0 ? [{ cache_prompt: false, type: 'image' as const, image_urls: images }] : []),
  ];
}
