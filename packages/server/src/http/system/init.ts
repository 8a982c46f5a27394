import { z } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';
import { initRequest, initStatus } from '../deferred/init-request.ts';
import type { Initialization } from '../deferred/initialization.ts';
import { initKeyHeader } from '../guards/require-init-key.ts';
import { defineRoute } from '../route/define-route.ts';
import type { Route } from '../route/route.ts';

const tag = 'Init';
const path = '/api/init';
const missing = 'The server was started with its configuration.';

/** Routes of a server that waits for its configuration, such as one of a pool of prepared machines. */
export const initRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path,
    isOpen: true,
    tag,
    summary: 'Get the state of the start of the server.',
    response: initStatus,
    errors: { 404: missing },
    handle: (_input, { initialization }) => Response.json(deferred(initialization).status),
  }),
  defineRoute({
    method: 'post',
    path,
    tag,
    summary: 'Configure and start the server, once.',
    headers: () => z.object({ [initKeyHeader]: z.string() }),
    body: initRequest,
    response: initStatus,
    errors: { 400: 'The server does not wait for its configuration.', 404: missing },
    async handle({ body }, { initialization }) {
      await deferred(initialization).start(body);
      return Response.json(initialization.status);
    },
  }),
];

function deferred(initialization: Initialization): Initialization {
  if (!initialization.isDeferred) throw new HTTPException(404, { message: 'Not Found' });
  return initialization;
}
