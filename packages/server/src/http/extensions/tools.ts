import { z } from '@hono/zod-openapi';
import { toolKinds } from '@varve/tools';
import { defineRoute, tagged } from '../route/define-route.ts';

/** Route of the tools that an agent may name. */
export const toolRoutes = tagged('Tools', [
  defineRoute({
    method: 'get',
    path: '/api/tools/',
    summary: 'List the names of the tools.',
    response: () => z.array(z.string()),
    handle: () => Response.json(toolKinds().map(({ kind }) => kind)),
  }),
]);
