import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { HTTPException } from 'hono/http-exception';
import { mcpTestRequest } from '../../extensions/mcp-test.ts';
import { defineRoute, tagged } from '../route/define-route.ts';

const jobParams = lazy(() => z.object({ job_id: z.string() }));
const jobStatus = lazy(() => z.looseObject({ ok: z.boolean(), status: z.string(), job_id: z.string() }));

/** Routes that try servers of the model context protocol. The authorization of clients by OAuth is not offered. */
export const mcpRoutes = tagged('MCP', [
  defineRoute({
    method: 'post',
    path: '/api/mcp/test',
    summary: 'Connect to an MCP server and list its tools; failures are results.',
    body: mcpTestRequest,
    response: () => z.looseObject({ ok: z.boolean() }),
    handle: async ({ body, request }, { mcpTest }) => Response.json(await mcpTest(body, request.signal)),
  }),
  defineRoute({
    method: 'post',
    path: '/api/mcp/oauth/start',
    summary: 'Start an authorization; not offered.',
    body: mcpTestRequest,
    response: () => z.looseObject({ ok: z.boolean() }),
    handle({ body }) {
      if (body.server.auth?.strategy !== 'oauth2')
        throw new HTTPException(400, { message: 'The server does not use the strategy oauth2.' });
      const error = 'Authorizations by OAuth are not offered: use a token in the headers of the server.';
      return Response.json({ ok: false, job_id: null, authorization_url: null, error, error_kind: 'unknown' });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/mcp/oauth/status/{job_id}',
    summary: 'Get the state of an authorization; none is started.',
    params: jobParams,
    response: jobStatus,
    handle: unknownJob,
  }),
  defineRoute({
    method: 'post',
    path: '/api/mcp/oauth/callback/{job_id}',
    summary: 'Complete an authorization; none is started.',
    params: jobParams,
    body: () => z.object({ callback_url: z.string() }).openapi('MCPOAuthCallbackRequest'),
    response: jobStatus,
    handle: unknownJob,
  }),
]);

function unknownJob(): never {
  throw new HTTPException(404, { message: 'OAuth job not found' });
}
