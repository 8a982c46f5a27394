import type { EventCodec } from '../codec.ts';
import type { BaseEvent } from '../define-event.ts';
import type { Message } from '../message.ts';
import { MessageList } from './message-list.ts';
import { messageFactory } from './message-factory.ts';

/** Version of {@link messageBuilder}, increased whenever it may build other messages from the same view. */
export const messagesVersion = 2;

/** Builds the messages of a request from the events of a view. */
export type MessageBuilder = (events: readonly BaseEvent[]) => readonly Message[];

/**
 * Creates a builder of messages. It is total, and `checkMessages` finds no problem in its messages: the calls of one
 * reply become one assistant message at the position of the first, followed by exactly one result per call in call
 * order; calls without a result receive a notice as their result; results without a call, further system prompts and
 * blank messages are omitted; consecutive user messages are merged; blank blocks are omitted, and invalid tool names
 * and lone surrogates are replaced.
 *
 * The message of an event is the same object as long as neighbouring events do not change it, so callers may cache by
 * identity. Keep one builder per conversation: if a view only gained events, only these are processed.
 *
 * @see software-agent-sdk events_to_messages, which relies on the view to pair calls and results, and fails on a
 * thought in a later call of a reply; here such thoughts follow that of the first call, so that every log can be read
 */
export function messageBuilder(codec: EventCodec): MessageBuilder {
  const turns = messageFactory(codec);
  let list = new MessageList(turns);
  return (events) => {
    if (!list.isPrefixOf(events)) list = new MessageList(turns);
    list.extend(events);
    return list.messages();
  };
}
