import { z } from '@hono/zod-openapi';
import { pluginInfo } from '../../extensions/plugin-list.ts';
import { defineRoute, tagged } from '../route/define-route.ts';
import { packagesOf } from './installed.ts';

/** Routes of the plugins of a project and the user. */
export const pluginRoutes = tagged('Plugins', [
  defineRoute({
    method: 'post',
    path: '/api/plugins',
    summary: 'List the plugins of a project and the user. Their skills are those of the user.',
    body: () =>
      z
        .object({
          load_user: z.boolean().default(true),
          load_project: z.boolean().default(true),
          project_dir: z.string().nullish(),
        })
        .openapi('PluginsRequest'),
    response: () => z.object({ plugins: z.array(pluginInfo()) }).openapi('PluginsResponse'),
    async handle({ body }, services) {
      const project = body.load_project ? (body.project_dir ?? undefined) : undefined;
      const plugins = await packagesOf(services).pluginsOf({ user: body.load_user, project });
      return Response.json({ plugins });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/plugins/marketplace',
    summary: 'List plugins to install: none, because nothing is fetched.',
    response: () => z.object({ plugins: z.array(z.record(z.string(), z.unknown())) }),
    handle: () => Response.json({ plugins: [] }),
  }),
]);
