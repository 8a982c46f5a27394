import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { delivery } from '../../streams/webhooks/delivery-log.ts';
import { defineRoute } from '../route/define-route.ts';
import type { Route } from '../route/route.ts';

const receivers = lazy(() =>
  z
    .object({ webhooks: z.array(z.object({ base_url: z.string(), deliveries: z.array(delivery()) })) })
    .openapi('WebhookDeliveries'),
);

/** Route of the deliveries to receivers of webhooks. */
export const webhookRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/webhooks',
    tag: 'Server Details',
    summary: 'List the last deliveries of this process to each receiver of webhooks, the last one first.',
    response: receivers,
    handle: (_input, { webhooks }) =>
      Response.json({
        webhooks: webhooks.deliveries().map(([{ base_url }, deliveries]) => ({ base_url, deliveries })),
      }),
  }),
];
