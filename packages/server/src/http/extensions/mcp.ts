import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { HTTPException } from 'hono/http-exception';
import { defineRoute, tagged } from '../route/define-route.ts';

const transport = lazy(() => z.enum(['stdio', 'http', 'shttp', 'streamable-http', 'sse']));
const texts = lazy(() => z.record(z.string(), z.string()).nullish());

/** A server to try, as the settings or a client describe it. */
const server = lazy(() =>
  z.looseObject({
    type: transport().nullish(),
    transport: transport().nullish(),
    command: z.string().nullish(),
    args: z.array(z.string()).nullish(),
    env: texts(),
    cwd: z.string().nullish(),
    url: z.string().nullish(),
    headers: texts(),
    auth: z.looseObject({ strategy: z.string().optional() }).nullish(),
  }),
);

/** @see agent-server 1.43.1 OpenAPI, MCPTestRequest */
const testRequest = lazy(() =>
  z
    .object({
      name: z.string().min(1).max(200).default('test-server'),
      server: server(),
      timeout: z.number().positive().max(120).default(15),
      tool_call: z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) }).nullish(),
    })
    .openapi('MCPTestRequest'),
);

const jobParams = lazy(() => z.object({ job_id: z.string() }));
const jobStatus = lazy(() => z.looseObject({ ok: z.boolean(), status: z.string(), job_id: z.string() }));

/** Routes that try servers of the model context protocol. The authorization of clients by OAuth is not offered. */
export const mcpRoutes = tagged('MCP', [
  defineRoute({
    method: 'post',
    path: '/api/mcp/test',
    summary: 'Connect to an MCP server and list its tools; failures are results.',
    body: testRequest,
    response: () => z.looseObject({ ok: z.boolean() }),
    handle: async ({ body, request }, { mcpTest }) => Response.json(await mcpTest(body, request.signal)),
  }),
  defineRoute({
    method: 'post',
    path: '/api/mcp/oauth/start',
    summary: 'Start an authorization; not offered.',
    body: testRequest,
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
