import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { HTTPException } from 'hono/http-exception';
import { defineRoute, tagged } from '../route/define-route.ts';
import type { Services } from '../services.ts';
import { withoutNulls } from '../../settings/change-settings.ts';
import { forgetServer, storedServer, updateServers } from '../../settings/mcp-secrets.ts';
import { jsonObject, mergePatch, type JsonObject } from '../../settings/merge.ts';
import { objectOf, settingsDocument, settingsResponse } from '../../settings/settings-document.ts';
import { answered } from '../../settings/settings-failure.ts';
import { settingsOf } from './settings.ts';

const params = lazy(() => z.object({ settings_key: z.string().min(1).max(200) }));
const text = lazy(() => z.string().min(1).nullish());
const texts = lazy(() => z.record(z.string(), z.string()).nullish());
const seconds = lazy(() => z.number().positive().nullish());

/** @see agent-server 1.43.1 OpenAPI, MCPServer */
const server = lazy(() =>
  z.object({
    url: text(),
    transport: z.enum(['stdio', 'http', 'streamable-http', 'sse']).nullish(),
    command: text(),
    args: z.array(z.string()).nullish(),
    env: texts(),
    cwd: text(),
    description: z.string().nullish(),
    icon: z.string().nullish(),
    timeout: seconds(),
    sse_read_timeout: seconds(),
    keep_alive: z.boolean().nullish(),
    headers: texts(),
    auth: jsonObject().nullish(),
    enabled: z.boolean().nullish(),
  }),
);
/** Without the fields that a client leaves out: they are not nulls, which remove. */
const sent = (body: z.output<ReturnType<typeof server>>): JsonObject => objectOf(JSON.parse(JSON.stringify(body)));

type Servers = Parameters<typeof storedServer>[1];

/** Routes of MCP servers in the settings. Values of their variables and headers are stored as secrets. */
export const settingsMcpRoutes = tagged('Settings', [
  defineRoute({
    method: 'post',
    path: '/api/settings/mcp/{settings_key}',
    summary: 'Add an MCP server.',
    params,
    body: server,
    status: 201,
    response: settingsResponse,
    errors: { 409: 'The server exists.' },
    handle: async ({ params: { settings_key: key }, body }, services) =>
      changed(services, 201, (before) => {
        if (before.has(key)) throw new HTTPException(409, { message: `The MCP server ${key} exists.` });
        return { key, server: withoutNulls(sent(body)) };
      }),
  }),
  defineRoute({
    method: 'patch',
    path: '/api/settings/mcp/{settings_key}',
    summary: 'Change an MCP server.',
    params,
    body: server,
    response: settingsResponse,
    errors: { 404: 'There is no such server.' },
    handle: async ({ params: { settings_key: key }, body }, services) =>
      changed(services, 200, (before) => ({
        key,
        server: withoutNulls(mergePatch(existing(before, key), sent(body))),
      })),
  }),
  defineRoute({
    method: 'delete',
    path: '/api/settings/mcp/{settings_key}',
    summary: 'Remove an MCP server.',
    params,
    response: settingsResponse,
    errors: { 404: 'There is no such server.' },
    handle: async ({ params: { settings_key: key } }, services) =>
      changed(services, 200, (before) => {
        existing(before, key);
        return { key, server: undefined };
      }),
  }),
]);

function existing(servers: ReadonlyMap<string, Servers>, key: string): Servers {
  const config = servers.get(key);
  if (!config) throw new HTTPException(404, { message: `There is no MCP server ${key}.` });
  return config;
}

/** Changes one server, and answers with all settings. */
async function changed(
  services: Services,
  status: 200 | 201,
  change: (before: ReadonlyMap<string, Servers>) => { readonly key: string; readonly server: Servers | undefined },
): Promise<Response> {
  const settings = settingsOf(services);
  const cipher = await settings.cipher();
  let removed: Servers | undefined;
  const work = updateServers(settings, async (servers) => {
    const { key, server: next } = change(servers);
    const before = servers.get(key);
    if (next) servers.set(key, await storedServer(key, next, { settings, cipher, before }));
    else {
      removed = before;
      servers.delete(key);
    }
  });
  await answered(work);
  if (removed) await forgetServer(removed, settings);
  return Response.json(await settingsDocument(settings, 'redacted'), { status });
}
