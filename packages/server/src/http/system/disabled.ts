import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { HTTPException } from 'hono/http-exception';
import { defineRoute } from '../route/define-route.ts';
import type { Route } from '../route/route.ts';

const message = 'VSCode is disabled: this server does not start an editor.';
const address = lazy(() => z.object({ url: z.string().nullable() }));
const errors = { 503: 'Disabled.' };

/**
 * Routes of the editor and the desktop, which this server does not start. Clients hide both.
 *
 * @see agent-server 1.43.1 with `enable_vscode` and `enable_vnc` switched off
 */
export const disabledRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/vscode/status',
    tag: 'VSCode',
    summary: 'Report whether an editor runs.',
    response: () => z.object({ running: z.boolean(), enabled: z.boolean(), message: z.string() }),
    handle: () => Response.json({ running: false, enabled: false, message }),
  }),
  defineRoute({
    method: 'get',
    path: '/api/vscode/url',
    tag: 'VSCode',
    summary: 'Get the address of the editor.',
    query: () =>
      z.object({
        base_url: z.string().optional(),
        workspace_dir: z.string().default('workspace'),
      }),
    response: address,
    errors,
    handle: () => disabled(message),
  }),
  defineRoute({
    method: 'get',
    path: '/api/desktop/url',
    tag: 'Desktop',
    summary: 'Get the address of the desktop.',
    query: () => z.object({ base_url: z.string().default('http://localhost:8002') }),
    response: address,
    errors,
    handle: () => disabled('The desktop is disabled: this server does not start one.'),
  }),
];

function disabled(reason: string): never {
  throw new HTTPException(503, { message: reason });
}
