import { z } from '@hono/zod-openapi';
import { toolKinds } from '@varve/tools';
import { defineRoute } from '../route/define-route.ts';
import type { Route } from '../route/route.ts';

/** Route of the tools that an agent may name. */
export const toolRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/tools/',
    tag: 'Tools',
    summary: 'List the names of the tools.',
    response: () => z.array(z.string()),
    handle: () => Response.json(toolKinds().map(({ kind }) => kind)),
  }),
];
