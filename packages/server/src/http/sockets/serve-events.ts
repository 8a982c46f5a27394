import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { contentOf, messageRequest } from '../../reference/request/message-request.ts';
import { tooMany } from '../guards/scopes.ts';
import { allows, visibleSummary } from '../../access.ts';
import { followLog } from '../../streams/follow-log.ts';
import type { StreamStart } from '../../streams/start.ts';
import { closeSocket } from './close-socket.ts';
import { receiveMessages, type MessageError } from './receive-messages.ts';
import { closeAfter, messageErrorOf, type Client, type ServiceContext } from './serve-socket.ts';
import { socketSink } from './socket-sink.ts';

/** Request of a client for the events of a conversation. */
export interface EventRequest {
  readonly conversationId: string;
  readonly start: StreamStart;
}

/** Sends the events of a conversation to a client, and receives its messages, until it disconnects. */
export async function serveEvents(
  { socket, inbox, connection, access }: Client,
  { conversationId, start }: EventRequest,
  context: ServiceContext,
): Promise<void> {
  const { services, limits, logger } = context;
  await visibleSummary(services.store, conversationId, access);
  using use = await services.streams.use(conversationId);
  if (services.streams.countOf(conversationId) > limits.clients) {
    return closeSocket(socket, 'tooMany', 'Too many connections for this conversation');
  }
  const { log } = use;
  const sink = socketSink(socket, { form: start.history === 'after' ? 'numbered' : 'plain', limits, connection });
  const following = followLog(log, sink, start).catch((error: unknown) => closeAfter(error, socket, logger));
  await receiveMessages(inbox, {
    limits,
    monotonicNow: () => performance.now(),
    receive: async (value) => {
      if (!allows(access, 'run')) return { code: 'Forbidden', detail: 'The key has no scope run.' };
      if (context.count(access) > 0) return { code: 'TooManyRequests', detail: tooMany };
      return receive(value, conversationId, { ...context, access });
    },
    reject: (error) => sink.send(log.frameOf({ kind: 'server_error', ...error })),
    onFlood: () => closeSocket(socket, 'flooding', 'Too many messages'),
  });
  await following;
}

/** Messages of clients may have text instead of a list of content. They are always answered by a run. */
const socketMessage = lazy(() =>
  messageRequest().extend({
    content: z.preprocess(
      (content) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content),
      messageRequest().shape.content,
    ),
  }),
);

/** Stores a message and runs the agent; returns an error instead of throwing it. */
async function receive(
  value: unknown,
  id: string,
  { services, logger, access }: ServiceContext & Pick<Client, 'access'>,
): Promise<MessageError | undefined> {
  const message = socketMessage().safeParse(value);
  if (!message.success) return { code: 'ValidationError', detail: z.prettifyError(message.error) };
  try {
    if (await services.replica?.send(id, message.data, access)) return undefined;
    await services.conversations.send(id, contentOf(message.data), { run: true, id: message.data.id });
    return undefined;
  } catch (error) {
    return messageErrorOf(error, logger);
  }
}
