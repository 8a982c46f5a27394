import type { EventCodec } from '../codec.ts';
import type { BaseEvent } from '../define-event.ts';
import type { Message } from '../message.ts';
import { MessageList } from './message-list.ts';
import { messageFactory } from './message-factory.ts';

/** The version of {@link messageBuilder}: raised whenever the same view may give other messages. */
export const messagesVersion = 2;

/** Turns the events of a view into the messages of a request. */
export type MessageBuilder = (events: readonly BaseEvent[]) => readonly Message[];

/**
 * Total and legal: whatever the events, `checkMessages` finds nothing in the messages. Calls of one reply become one
 * assistant message at the place of the first, followed by exactly one result per call in call order; calls without a
 * result get one that says so; results without a call, second system prompts and blank turns are left out; neighbouring
 * user messages merge; blank blocks are left out, and names and half characters that no provider takes are replaced.
 *
 * The same event gives the same message object as long as its neighbours do not change it, so callers may cache by
 * identity. Keep one projector per conversation: events added to the view of the last time are all that it works on.
 *
 * @see software-agent-sdk events_to_messages (we re-pair calls and results, it relies on the view)
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
