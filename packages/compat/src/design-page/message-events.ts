import { randomUUID } from 'node:crypto';
import { text, textOf, timestamps, type BaseEvent, type Content, type Stamp } from '@varve/events';
import { MessageEvent } from '@varve/events/kinds';

/** Fields of a message under the names of the design page. */
export interface DocumentedMessage {
  readonly content: string;
  /** Addresses of images. */
  readonly images?: readonly string[];
}

/** Messages of one source, under the names of the design page; they are stored as `MessageEvent`. */
export interface MessageAlias {
  /** Creates a message; without a stamp, with a new id and the current time. @throws {EventError} `invalid`. */
  create(message: DocumentedMessage, stamp?: Stamp): MessageEvent;
  is(event: BaseEvent): event is MessageEvent;
  /** Returns the text and the images of a message. */
  read(event: MessageEvent): Required<DocumentedMessage>;
}

/**
 * Message of the user.
 *
 * @see the design page "ConversationState" of the reference's early V1
 */
export const UserMessageEvent: MessageAlias = aliasOf('user', 'user');

/**
 * Message of the agent.
 *
 * @see the design page "ConversationState" of the reference's early V1
 */
export const AgentMessageEvent: MessageAlias = aliasOf('agent', 'assistant');

function aliasOf(source: 'user' | 'agent', role: 'user' | 'assistant'): MessageAlias {
  return {
    create: ({ content, images = [] }, stamp = { id: randomUUID(), timestamp: nextTimestamp() }) =>
      MessageEvent.create({ source, llm_message: { role, content: contentOf(content, images) } }, stamp),
    is: (event): event is MessageEvent => MessageEvent.is(event) && event.source === source,
    read: ({ llm_message: { content } }) => ({
      content: textOf(content),
      images: content.flatMap((block) => (block.type === 'image' ? block.image_urls : [])),
    }),
  };
}

const nextTimestamp = timestamps(Date.now);

function contentOf(content: string, images: readonly string[]): readonly Content[] {
  const block = { cache_prompt: false, type: 'image' as const, image_urls: [...images] };
  return images.length > 0 ? [text(content), block] : [text(content)];
}
