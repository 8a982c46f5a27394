import { z } from '@hono/zod-openapi';
import { StorageError } from '@varve/storage';
import { defineRoute, type Route } from '../define-route.ts';
import type { Services } from '../services.ts';

/** The release of the reference whose protocol is spoken: clients refuse servers that name none, or an old one. */
export const protocolVersion = '1.43.1';

const tag = 'Server Details';
const health = z.object({ status: z.string() }).openapi('HealthStatus');

/** @see agent-server 1.43.1 OpenAPI, ServerInfo */
const serverInfo = z
  .object({
    /** Whole seconds. */
    uptime: z.number(),
    /** Whole seconds since an agent, a command or a file was last worked with here. */
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
  .openapi('ServerInfo');

/** Whether the server lives, and what it is. None of these needs a key. */
export const healthRoutes: readonly Route[] = [
  ...(['/alive', '/health'] as const).map((path) =>
    defineRoute({
      method: 'get',
      path,
      tag,
      summary: 'Whether the server lives.',
      answer: health,
      handle: () => Response.json({ status: 'ok' }),
    }),
  ),
  defineRoute({
    method: 'get',
    path: '/ready',
    tag,
    summary: 'Whether the store can be read.',
    answer: z.record(z.string(), z.string()),
    refusals: { 503: 'It cannot.' },
    handle: (_input, services) => readiness(services),
  }),
  ...(['/server_info', '/'] as const).map((path) =>
    defineRoute({
      method: 'get',
      path,
      tag,
      summary: 'What the server is.',
      answer: serverInfo,
      handle: (_input, services) => Response.json(infoOf(services)),
    }),
  ),
];

async function readiness({ store }: Services): Promise<Response> {
  try {
    await store.list({ limit: 1 });
    return Response.json({ status: 'ready' });
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    // Anybody may ask, so the sentence does not say where the store lies.
    return Response.json({ status: 'initializing', message: 'The store cannot be read.' }, { status: 503 });
  }
}

/** Reading is no work of an agent, so a server that only reads is idle for as long as it runs. */
function infoOf({ now, startedAt }: Services): z.output<typeof serverInfo> {
  const uptime = Math.max(0, Math.floor((now() - startedAt) / 1000));
  return {
    uptime,
    idle_time: uptime,
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
