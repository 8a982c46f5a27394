import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import type { LogReader, Stored } from '@varve/storage';
import { parseJson } from '@varve/text';
import { HTTPException } from 'hono/http-exception';
import { dashedId } from '../../reference/info/conversation-id.ts';
import { contentOf, messageIdOf, messageRequest } from '../../reference/request/message-request.ts';
import { defineRoute, tagged } from '../route/define-route.ts';
import { success, successful } from '../route/route-config.ts';
import { conversationErrors, conversationParams } from './conversation-action.ts';
import { after_seq, instant } from './event-query.ts';
import { countEvents, eventOrders, searchEvents } from './search-events.ts';
import { pageLimit } from '../route/query.ts';
import type { Services } from '../services.ts';
import { unlessMissing } from '@varve/storage/kit';

const event = lazy(() =>
  z.looseObject({ id: z.string(), timestamp: z.string(), source: z.string(), kind: z.string() }).openapi('Event'),
);
const errors = { 404: 'The conversation or event does not exist.' };

const page = lazy(() =>
  z
    .object({
      items: z.array(event()),
      next_page_id: z.string().nullable(),
      /** With `after_seq`: the cursor after this page. */
      last_seq: z.int().optional(),
    })
    .openapi('EventPage'),
);

/** Conditions of searches and counts. */
const conditions = lazy(() =>
  z.object({
    kind: z.string().optional(),
    source: z.string().optional(),
    body: z.string().optional(),
    timestamp__gte: instant().optional(),
    timestamp__lt: instant().optional(),
  }),
);

/** Routes of events: messages are added, and events are sent exactly as stored. Searches omit `varve.*` facts. */
export const eventRoutes = tagged('Events', [
  defineRoute({
    method: 'post',
    path: '/api/conversations/{conversation_id}/events',
    summary: 'Send a message; one with an id, or a key, that was sent before is not stored again.',
    params: conversationParams,
    headers: () => z.object({ [keyOfMessage]: z.string().optional() }),
    body: messageRequest,
    response: success,
    errors: conversationErrors,
    async handle({ params: { conversation_id: id }, body, request }, { conversations }) {
      await conversations.send(id, contentOf(body), { run: body.run, id: body.id ?? keyIn(request.headers) });
      return successful();
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/conversations/{conversation_id}/events/search',
    summary: 'Search events.',
    params: conversationParams,
    query: () =>
      conditions().extend({
        page_id: z.string().optional(),
        after_seq: after_seq(),
        limit: pageLimit(),
        sort_order: z.enum(eventOrders).default('TIMESTAMP'),
      }),
    response: page,
    errors,
    async handle({ params, query }, services) {
      const {
        page_id: pageId,
        after_seq: afterSeq,
        sort_order: order,
        timestamp__gte: from,
        timestamp__lt: before,
        ...rest
      } = query;
      const log = await wholeLogOf(params.conversation_id, services);
      const result = await searchEvents(log, { ...rest, pageId, afterSeq, order, from, before });
      const texts = result.items.map(({ text }) => text).join(',');
      // Clients of the reference accept no further field.
      const cursor = afterSeq === undefined ? '' : `,"last_seq":${result.lastSeq}`;
      return jsonText(`{"items":[${texts}],"next_page_id":${JSON.stringify(result.nextPageId)}${cursor}}`);
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/conversations/{conversation_id}/events/count',
    summary: 'Count events.',
    params: conversationParams,
    query: conditions,
    response: () => z.int(),
    errors,
    async handle({ params, query: { timestamp__gte: from, timestamp__lt: before, ...rest } }, services) {
      const log = await wholeLogOf(params.conversation_id, services);
      return Response.json(await countEvents(log, { ...rest, from, before }, services));
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/conversations/{conversation_id}/events',
    summary: 'Get events by their ids; null for unknown ones.',
    params: conversationParams,
    body: () => z.array(z.string()).max(1000),
    response: () => z.array(event().nullable()),
    async handle({ params, body }, services) {
      const log = await logOf(params.conversation_id, services);
      const texts: string[] = [];
      for (const id of body) texts.push((await eventOf(log, id))?.text ?? 'null');
      return jsonText(`[${texts.join(',')}]`);
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/conversations/{conversation_id}/events/{event_id}',
    summary: 'Get an event.',
    params: () => conversationParams().extend({ event_id: z.string() }),
    response: event,
    errors,
    async handle({ params }, services) {
      const log = await logOf(params.conversation_id, services);
      const stored = await eventOf(log, params.event_id);
      if (!stored) throw new HTTPException(404, { message: 'Not Found' });
      return jsonText(stored.text);
    },
  }),
]);

/** Header with a key of a message, with or without quotes. @see IETF draft-ietf-httpapi-idempotency-key-header */
const keyOfMessage = 'Idempotency-Key';

function keyIn(headers: Headers): string | undefined {
  const sent = headers.get(keyOfMessage);
  if (sent === null) return undefined;
  const key = /^"?(?<key>[^"]{1,255})"?$/.exec(sent)?.groups?.['key'];
  if (key !== undefined) return messageIdOf(key);
  throw new HTTPException(422, {
    message: `The header ${keyOfMessage} is empty, longer than 255 characters or quoted twice.`,
  });
}

async function logOf(id: string, { store }: Services): Promise<LogReader> {
  const log = await unlessMissing(store.read(id));
  if (!log) throw new HTTPException(404, { message: `Conversation not found: ${dashedId(id)}` });
  return log;
}

/** Refuses a log that lost events: a list of the others would look complete. */
async function wholeLogOf(id: string, services: Services): Promise<LogReader> {
  const log = await logOf(id, services);
  const loss = await log.loss?.();
  if (loss) throw new HTTPException(500, { message: loss.message });
  return log;
}

async function eventOf(log: LogReader, id: string): Promise<Stored | undefined> {
  const seq = await log.seqOf(id);
  const stored = seq === undefined ? undefined : await log.at(seq);
  // As in searches: an imported log may contain text that is not JSON, which clients would parse as such.
  return stored && isObject(stored.text) ? stored : undefined;
}

function isObject(text: string): boolean {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sends stored text unchanged, so that clients can verify it. */
function jsonText(text: string): Response {
  return new Response(text, { headers: { 'content-type': 'application/json' } });
}
