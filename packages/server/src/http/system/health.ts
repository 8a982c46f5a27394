import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { defineRoute } from '../route/define-route.ts';
import type { Route } from '../route/route.ts';
import type { Services } from '../services.ts';

/** Release of the reference whose protocol is implemented: clients reject servers with no version or an old one. */
export const protocolVersion = '1.43.1';

const tag = 'Server Details';
const health = lazy(() => z.object({ status: z.string() }).openapi('HealthStatus'));

/** @see agent-server 1.43.1 OpenAPI, ServerInfo */
const serverInfo = lazy(() =>
  z
    .object({
      /** Whole seconds since the start. */
      uptime: z.number(),
      /** Whole seconds since the last activity of an agent, a command or a file operation. */
      idle_time: z.number(),
      title: z.string(),
      version: z.string(),
      sdk_version: z.string(),
      tools_version: z.string(),
      workspace_version: z.string(),
      build_git_sha: z.string(),
      build_git_ref: z.string(),
      python_version: z.string(),
      usable_tools: z.array(z.string()),
      runtime_idle_timeout_seconds: z.number().nullable(),
      capabilities: z.array(z.string()),
      max_foreground_terminal_timeout_seconds: z.number().nullable(),
      docs: z.string(),
      redoc: z.string(),
    })
    .openapi('ServerInfo'),
);

/** Routes of health and version, which need no key. */
export const healthRoutes: readonly Route[] = [
  ...(['/alive', '/health'] as const).map((path) =>
    defineRoute({
      method: 'get',
      path,
      tag,
      summary: 'Check that the server is running.',
      response: health,
      handle: () => Response.json({ status: 'ok' }),
    }),
  ),
  defineRoute({
    method: 'get',
    path: '/ready',
    tag,
    summary: 'Check that the server has started and that the store can be read.',
    response: () => z.record(z.string(), z.string()),
    errors: { 503: 'The server is starting, or the store cannot be read.' },
    handle: (_input, services) => readinessOf(services),
  }),
  ...(['/server_info', '/'] as const).map((path) =>
    defineRoute({
      method: 'get',
      path,
      tag,
      summary: 'Get version and uptime.',
      response: serverInfo,
      handle: async (_input, services) => Response.json(infoOf(services, await lastActivity(services))),
    }),
  ),
];

async function readinessOf({ readiness, initialization }: Services): Promise<Response> {
  if (initialization.status.state !== 'ready') return initializing('The server waits for its configuration.');
  const problem = await readiness.problem();
  return problem === undefined ? Response.json({ status: 'ready' }) : initializing(problem);
}

function initializing(message: string): Response {
  return Response.json({ status: 'initializing', message }, { status: 503 });
}

/** Returns the time of the last activity in UTC milliseconds: of an agent, a command, or a request for files or git. */
async function lastActivity({ store, activity, startedAt }: Services): Promise<number> {
  // The first page of a store begins with the conversation that was written last.
  const newest = await store.list({ limit: 1 }).catch(() => ({ items: [] }));
  return Math.max(startedAt, activity.lastAt, newest.items[0]?.updatedAt ?? 0);
}

function infoOf({ now, startedAt }: Services, lastActivityAt: number): z.output<ReturnType<typeof serverInfo>> {
  const seconds = (since: number): number => Math.max(0, Math.floor((now() - since) / 1000));
  return {
    uptime: seconds(startedAt),
    idle_time: seconds(lastActivityAt),
    title: 'varve',
    version: protocolVersion,
    sdk_version: protocolVersion,
    tools_version: protocolVersion,
    workspace_version: protocolVersion,
    build_git_sha: 'unknown',
    build_git_ref: 'unknown',
    python_version: `none (Node.js ${process.versions.node})`,
    usable_tools: ['file_editor', 'task_tracker', 'terminal'],
    runtime_idle_timeout_seconds: null,
    capabilities: [],
    max_foreground_terminal_timeout_seconds: null,
    docs: '/openapi.json',
    redoc: '/openapi.json',
  };
}
