import { randomUUID } from 'node:crypto';
import { z } from '@hono/zod-openapi';
import { timestampOf, type BashEvent, bashRequest } from '../../workspace/bash/bash-event.ts';
import type { BashService } from '../../workspace/bash/bash-service.ts';
import { messageFrame, type Frame } from '../../streams/frame.ts';
import type { Sink } from '../../streams/follow-log.ts';
import { closeSocket } from './close-socket.ts';
import { receiveMessages, type MessageError } from './receive-messages.ts';
import { closeAfter, messageErrorOf, type Client, type ServiceContext } from './serve-socket.ts';
import { socketSink } from './socket-sink.ts';

/** Number of events per read of the history. */
const pageSize = 100;

/** Number of events that may wait until the history is sent. */
const mostWaiting = 1000;

/** Frames of events that were sent, so that each is encoded once for all clients. */
const frames = new WeakMap<BashEvent, Frame>();

/** Number of clients of each service. */
const clients = new WeakMap<BashService, number>();

/** Sends the events of all commands to a client, and runs its commands, until it disconnects. */
export async function serveBash(
  { socket, inbox, connection }: Client,
  { resendsAll }: { readonly resendsAll: boolean },
  context: ServiceContext,
): Promise<void> {
  const { limits, logger, services } = context;
  const { bash } = services;
  const count = (clients.get(bash) ?? 0) + 1;
  if (count > limits.clients) return closeSocket(socket, 'tooMany', 'Too many bash event connections');
  clients.set(bash, count);
  const sink = socketSink(socket, { form: 'plain', limits, connection });
  const follow = followCommands(bash, sink, resendsAll);
  const following = follow.catch((error: unknown) => closeAfter(error, socket, logger));
  try {
    await receiveMessages(inbox, {
      limits,
      monotonicNow: () => performance.now(),
      receive: (value) => receive(value, context),
      reject: (error) => sink.send(errorFrame(error, services.now())),
      onFlood: () => closeSocket(socket, 'flooding', 'Too many messages'),
    });
    await following;
  } finally {
    clients.set(bash, (clients.get(bash) ?? 1) - 1);
  }
}

/** Sends the history, if wanted, and then every event that happened since the call. */
async function followCommands(bash: BashService, sink: Sink, resendsAll: boolean): Promise<void> {
  const waiting: BashEvent[] = [];
  let isLive = !resendsAll;
  const subscription = await bash.subscribe((event) => {
    if (isLive) sink.send(frameOf(event));
    else if (waiting.push(event) > mostWaiting) sink.fail(new Error('The client reads too slowly.'));
  });
  if (sink.closed.aborted) return subscription[Symbol.dispose]();
  sink.closed.addEventListener('abort', () => subscription[Symbol.dispose](), { once: true });
  if (isLive) return;
  const sent = new Set<string>();
  for await (const event of historyOf(bash)) {
    sink.send(frameOf(event));
    sent.add(event.id);
    await sink.drained();
    if (sink.closed.aborted) return;
  }
  for (const event of waiting) if (!sent.has(event.id)) sink.send(frameOf(event));
  isLive = true;
}

async function* historyOf(bash: BashService): AsyncGenerator<BashEvent> {
  let pageId: string | undefined;
  do {
    const page = await bash.search({ order: 'TIMESTAMP', pageId, limit: pageSize });
    yield* page.items;
    pageId = page.nextPageId ?? undefined;
  } while (pageId !== undefined);
}

function frameOf(event: BashEvent): Frame {
  const frame = frames.get(event) ?? messageFrame(JSON.stringify(event));
  frames.set(event, frame);
  return frame;
}

/** Starts a command; returns an error instead of throwing it. */
async function receive(value: unknown, { services, logger }: ServiceContext): Promise<MessageError | undefined> {
  const request = bashRequest().safeParse(value);
  if (!request.success) return { code: 'ValidationError', detail: z.prettifyError(request.error) };
  try {
    await services.bash.start(request.data);
    return undefined;
  } catch (error) {
    return messageErrorOf(error, logger);
  }
}

/** @see agent-server 1.43.1 OpenAPI, BashError */
function errorFrame({ code, detail }: MessageError, utcMs: number): Frame {
  const id = randomUUID().replaceAll('-', '');
  const timestamp = timestampOf(Math.floor(utcMs * 1000));
  return messageFrame(JSON.stringify({ id, timestamp, code, detail, kind: 'BashError' }));
}
