import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { RequestError } from '../../error.ts';
import { defineRoute, tagged } from '../route/define-route.ts';
import type { Route } from '../route/route.ts';
import { workspaceItem, workspaceList, workspaceParent, type WorkspaceList } from '../../workspace/workspace-list.ts';

const path = '/api/workspaces';
const response = lazy(() => workspaceList());
const deletion = lazy(() => z.object({ deleted: z.boolean() }).openapi('DeleteResponse'));
const kinds = [
  [path, 'workspaces', 'workspace'],
  [`${path}/parents`, 'workspaceParents', 'directory of workspaces'],
] as const;

/** Routes of the user's list of workspaces. */
export const workspaceRoutes = tagged('Workspaces', [
  defineRoute({
    method: 'get',
    path,
    summary: 'List workspaces.',
    response,
    handle: async (_input, { workspaces }) => Response.json(await workspaces.list()),
  }),
  defineRoute({
    method: 'post',
    path,
    summary: 'Add workspaces.',
    body: () => z.object({ workspaces: z.array(workspaceItem()).max(1000) }).openapi('AddWorkspacesRequest'),
    response,
    handle: async ({ body }, { workspaces }) => Response.json(await workspaces.add(body)),
  }),
  defineRoute({
    method: 'post',
    path: `${path}/parents`,
    summary: 'Add directories of workspaces.',
    body: () => z.object({ parents: z.array(workspaceParent()).max(1000) }).openapi('AddWorkspaceParentsRequest'),
    response,
    handle: async ({ body }, { workspaces }) => Response.json(await workspaces.add({ workspaceParents: body.parents })),
  }),
  ...kinds.map(([at, kind, name]) => removal(at, kind, name)),
]);

function removal(at: `/${string}`, kind: keyof WorkspaceList, name: string): Route {
  return defineRoute({
    method: 'delete',
    path: at,
    summary: `Remove a ${name} from the list; its files stay.`,
    query: () => z.object({ path: z.string() }),
    response: deletion,
    async handle({ query }, { workspaces }) {
      if (await workspaces.remove(kind, query.path)) return Response.json({ deleted: true });
      throw new RequestError('unknown', 'Not Found');
    },
  });
}
