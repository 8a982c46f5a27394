import { eventCodec, textOf, type BaseEvent, type EventCodec } from '@varve/events';
import { builtinKinds, MessageEvent } from '@varve/events/kinds';
import type { LogReader, Stored } from '@varve/storage';
import { conversationTimeline, stateOf, type ConversationState } from './conversation-state.ts';

/** A stored event, decoded. */
export interface LoggedEvent {
  readonly seq: number;
  /** Opaque when its kind is unknown here or its fields are invalid; nothing is omitted. */
  readonly event: BaseEvent;
  /** The exact stored JSON. */
  readonly text: string;
}

/** Returns the timestamp of the last event of a log; undefined if it has none. */
export async function lastTimestamp(log: LogReader, codec: EventCodec): Promise<string | undefined> {
  const head = await log.head();
  if (head === 0) return undefined;
  const { timestamp } = codec.read((await log.at(head - 1)).text);
  return timestamp === '' ? undefined : timestamp;
}

/** Returns the text of the user's first message that has any, on any branch. */
export async function firstUserText(log: LogReader, codec: EventCodec): Promise<string | undefined> {
  for await (const { kind, text: json } of log.range(0)) {
    const event = kind === 'MessageEvent' ? codec.read(json) : undefined;
    if (!event || !MessageEvent.is(event) || event.source !== 'user') continue;
    const content = textOf(event.llm_message.content);
    if (content.trim() !== '') return content;
  }
  return undefined;
}

/** Decodes stored events one by one, by default with the built-in kinds. */
export async function* readEvents(
  stored: AsyncIterable<Stored>,
  codec: EventCodec = eventCodec(builtinKinds),
): AsyncIterable<LoggedEvent> {
  for await (const { seq, text } of stored) yield { seq, text, event: codec.read(text) };
}

/** Options of {@link readState}. */
export interface ReadStateOptions {
  /** Default: the built-in kinds. */
  readonly codec?: EventCodec;
  /** Number of events to fold; default all. */
  readonly to?: number;
}

/** Returns the state of a log without taking its lease: for listings, earlier states and other processes. */
export async function readState(log: LogReader, options: ReadStateOptions = {}): Promise<ConversationState> {
  const { codec = eventCodec(builtinKinds), to } = options;
  const timeline = conversationTimeline(codec);
  await timeline.load((from) => log.range(Math.min(from, to ?? from), to));
  return stateOf(timeline);
}
