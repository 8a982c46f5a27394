import { z } from '@hono/zod-openapi';
import { StorageError } from '@varve/storage';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { dashedId } from '../../reference/info/conversation-id.ts';
import { defineRoute, tagged } from '../route/define-route.ts';
import type { ServerEnv } from '../route/route.ts';
import type { Services } from '../services.ts';
import { conversationParams } from './conversation-action.ts';
import { eventQuery, startOf } from './event-query.ts';
import { socketLimits } from '../../streams/limits.ts';
import { checkStart, followLog } from '../../streams/follow-log.ts';
import type { LiveLogUse } from '../../streams/live-logs.ts';
import { serverSentEvents } from '../../streams/server-sent.ts';
import type { StreamStart } from '../../streams/start.ts';
import { unlessMissing } from '@varve/storage/kit';

/** The stream of a socket as server-sent events. */
export const eventStreamRoutes = tagged('Events', [
  defineRoute({
    method: 'get',
    path: '/api/conversations/{conversation_id}/events/stream',
    summary: 'Follow the events as server-sent events; the id of each is its seq.',
    params: conversationParams,
    query: () => eventQuery().extend({ session_api_key: z.string().optional() }),
    download: 'text/event-stream',
    errors: {
      400: 'The cursor is after the last event.',
      404: 'The conversation does not exist.',
      503: 'Too many clients follow the conversation.',
    },
    async handle({ params, query, request }, services, context) {
      const start = resumed(request, startOf(query));
      const use = await useOf(params.conversation_id, services);
      try {
        await assertStart(use, start);
      } catch (error) {
        use[Symbol.dispose]();
        throw error;
      }
      return serverSentEvents({
        ...socketLimits,
        stop: services.streams.stopped,
        disconnect: outgoingOf(context),
        async serve(sink) {
          sink.closed.addEventListener('abort', () => use[Symbol.dispose](), { once: true });
          await followLog(use.log, sink, start);
        },
      });
    },
  }),
]);

/** Returns what ends the connection of a request. */
function outgoingOf({ env }: Context<ServerEnv>): (() => void) | undefined {
  const outgoing = env?.outgoing;
  return outgoing && (() => void outgoing.destroy());
}

/** Returns the start of a client that reconnects, which names the last event that it received. */
function resumed({ headers }: Request, start: StreamStart): StreamStart {
  const last = headers.get('last-event-id');
  if (last === null || last === '') return start;
  if (/^\d{1,15}$/.test(last)) return { history: 'after', seq: Number(last) };
  throw new HTTPException(400, { message: 'The header Last-Event-ID is not a seq.' });
}

async function useOf(id: string, { streams }: Services): Promise<LiveLogUse> {
  const use = await unlessMissing(streams.use(id));
  if (!use) throw new HTTPException(404, { message: `Conversation not found: ${dashedId(id)}` });
  if (streams.countOf(id) <= socketLimits.clients) return use;
  use[Symbol.dispose]();
  throw new HTTPException(503, { message: 'Too many connections for this conversation.' });
}

async function assertStart({ log }: LiveLogUse, start: StreamStart): Promise<void> {
  try {
    await checkStart(start, log.reader);
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== 'invalid') throw error;
    throw new HTTPException(400, { message: error.message });
  }
}
