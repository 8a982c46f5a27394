import { withoutUndefined } from '@varve/text';
import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { defineRoute, tagged } from '../route/define-route.ts';
import {
  addConnection,
  changeConnection,
  connectionInfo,
  connectionsOf,
  removeConnection,
  shownConnection,
} from '../../settings/provider-connections.ts';
import { settingsOf } from './settings.ts';

const base = '/api/llm/provider-connections';
const params = lazy(() => z.object({ connection_id: z.string() }));
const name = lazy(() => z.string().trim().min(1).max(200));
const key = lazy(() => z.string().trim().min(1).max(10_000));
const url = lazy(() => z.url({ protocol: /^https?$/ }).max(2000));

const fields = lazy(() => ({ display_name: name(), provider: name(), api_key: key(), base_url: url().nullish() }));
const createRequest = lazy(() =>
  z.strictObject({ ...fields(), provider: name().default('custom') }).openapi('ProviderConnectionCreateRequest'),
);
const updateRequest = lazy(() =>
  z
    .strictObject(fields())
    .partial()
    .refine((body) => Object.values(body).some((value) => value !== undefined), 'Invalid input: expected a change')
    .openapi('ProviderConnectionUpdateRequest'),
);

/** Routes of connections to providers, which profiles share. Their keys are stored as secrets, and never returned. */
export const providerConnectionRoutes = tagged('LLM Provider Connections', [
  defineRoute({
    method: 'get',
    path: base,
    summary: 'List the connections.',
    response: () => z.array(connectionInfo()),
    async handle(_input, services) {
      const connections = await connectionsOf(settingsOf(services));
      return Response.json(Array.from(connections, ([id, connection]) => shownConnection(id, connection)));
    },
  }),
  defineRoute({
    method: 'post',
    path: base,
    summary: 'Add a connection.',
    body: createRequest,
    status: 201,
    response: connectionInfo,
    async handle({ body }, services) {
      const sent = { ...body, base_url: body.base_url ?? null };
      return Response.json(await addConnection(settingsOf(services), sent, services.now()), { status: 201 });
    },
  }),
  defineRoute({
    method: 'patch',
    path: `${base}/{connection_id}`,
    summary: 'Change a connection.',
    params,
    body: updateRequest,
    response: connectionInfo,
    async handle({ params: { connection_id: id }, body }, services) {
      const sent = withoutUndefined(body);
      return Response.json(await changeConnection(settingsOf(services), { id, sent, now: services.now() }));
    },
  }),
  defineRoute({
    method: 'delete',
    path: `${base}/{connection_id}`,
    summary: 'Remove a connection that no profile uses.',
    params,
    response: connectionInfo,
    handle: async ({ params: { connection_id: id } }, services) =>
      Response.json(await removeConnection(settingsOf(services), id)),
  }),
]);
