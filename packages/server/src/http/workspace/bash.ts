import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { HTTPException } from 'hono/http-exception';
import { timestampOf, bashRequest } from '../../workspace/bash/bash-event.ts';
import { bashEventOrders } from '../../workspace/bash/search-bash-events.ts';
import { canonicalId } from '@varve/storage';
import { uuidPattern } from '../../reference/info/conversation-id.ts';
import { parseIsoTime, utcMicros } from '../../reference/info/iso-time.ts';
import { pageLimit } from '../route/query.ts';
import { defineRoute, tagged } from '../route/define-route.ts';

const common = lazy(() => ({ id: z.string(), timestamp: z.string().openapi({ format: 'date-time' }) }));
const bashCommand = lazy(() =>
  z.object({ ...bashRequest().shape, ...common(), kind: z.literal('BashCommand') }).openapi('BashCommand'),
);
const bashOutput = lazy(() =>
  z
    .object({
      ...common(),
      command_id: z.string(),
      order: z.int(),
      exit_code: z.int().nullable(),
      stdout: z.string().nullable(),
      stderr: z.string().nullable(),
      kind: z.literal('BashOutput'),
    })
    .openapi('BashOutput'),
);
const bashEvent = lazy(() => z.union([bashCommand(), bashOutput()]).openapi('BashEvent'));
/** Text of digits as in the names of events. */
const instant = lazy(() =>
  z
    .stringFormat('datetime', (text) => parseIsoTime(text) !== undefined)
    .transform((text) => {
      const time = parseIsoTime(text);
      return time && timestampOf(utcMicros(time)).replaceAll(/\D/g, '');
    })
    .openapi({ type: 'string', format: 'date-time' }),
);
const search = lazy(() =>
  z.object({
    kind__eq: z.enum(['BashCommand', 'BashOutput']).optional(),
    command_id__eq: z
      .stringFormat('uuid', uuidPattern)
      .transform(canonicalId)
      .openapi({ type: 'string', format: 'uuid' })
      .optional(),
    timestamp__gte: instant().optional(),
    timestamp__lt: instant().optional(),
    order__gt: z.coerce.number().int().optional(),
    sort_order: z.enum(bashEventOrders).default('TIMESTAMP'),
    page_id: z.string().optional(),
    limit: pageLimit(),
  }),
);

/** Routes of commands that clients run, which the agent does not see. */
export const bashRoutes = tagged('Bash', [
  defineRoute({
    method: 'get',
    path: '/api/bash/bash_events/search',
    summary: 'Search commands and their outputs.',
    query: search,
    response: () =>
      z.object({ items: z.array(bashEvent()), next_page_id: z.string().nullable() }).openapi('BashEventPage'),
    async handle({ query }, { bash }) {
      const { items, nextPageId } = await bash.search({
        kind: query.kind__eq,
        commandId: query.command_id__eq,
        from: query.timestamp__gte,
        before: query.timestamp__lt,
        orderAfter: query.order__gt,
        order: query.sort_order,
        pageId: query.page_id,
        limit: query.limit,
      });
      return Response.json({ items, next_page_id: nextPageId });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/bash/bash_events/{event_id}',
    summary: 'Get a command or an output.',
    params: () => z.object({ event_id: z.string() }),
    response: bashEvent,
    errors: { 404: 'The event does not exist.' },
    async handle({ params }, { bash }) {
      const event = await bash.get(canonicalId(params.event_id));
      if (!event) throw new HTTPException(404, { message: 'Not Found' });
      return Response.json(event);
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/bash/bash_events/',
    summary: 'Get commands and outputs by their ids; null for unknown ones.',
    body: () => z.array(z.string()).max(1000),
    response: () => z.array(bashEvent().nullable()),
    async handle({ body }, { bash }) {
      const events = await bash.getAll(body.map(canonicalId));
      return Response.json(events.map((event) => event ?? null));
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/bash/start_bash_command',
    summary: 'Start a command; its outputs are events.',
    body: bashRequest,
    response: bashCommand,
    async handle({ body }, { bash }) {
      const { command } = await bash.start(body);
      return Response.json(command);
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/bash/execute_bash_command',
    summary: 'Run a command; returns its last output.',
    body: bashRequest,
    response: bashOutput,
    async handle({ body }, { bash }) {
      const { ended } = await bash.start(body);
      return Response.json(await ended);
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/api/bash/bash_events',
    summary: 'Remove all commands and outputs.',
    response: () => z.record(z.string(), z.int()),
    handle: async (_input, { bash }) => Response.json({ cleared_count: await bash.clear() }),
  }),
]);
