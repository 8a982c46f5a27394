import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { isOwnedSecret, secretName } from '@varve/settings/secrets';
import { HTTPException } from 'hono/http-exception';
import { defineRoute, tagged } from '../route/define-route.ts';
import { answered } from '../../settings/settings-failure.ts';
import { settingsOf } from './settings.ts';

const item = lazy(() =>
  z.object({ name: z.string(), description: z.string().nullable() }).openapi('SecretItemResponse'),
);
const params = lazy(() => z.object({ name: secretName() }));
const errors = { 404: 'There is no such secret.' };

/** Routes of the secrets of the person. Keys of models and of MCP servers are not among them. */
export const settingsSecretRoutes = tagged('Settings', [
  defineRoute({
    method: 'get',
    path: '/api/settings/secrets',
    summary: 'List the names of secrets.',
    response: () => z.object({ secrets: z.array(item()) }),
    async handle(_input, services) {
      const listed = await settingsOf(services).secrets.list();
      const secrets = listed.filter(({ name }) => !isOwnedSecret(name));
      return Response.json({
        secrets: secrets.map(({ name, description }) => ({ name, description: description ?? null })),
      });
    },
  }),
  defineRoute({
    method: 'put',
    path: '/api/settings/secrets',
    summary: 'Add or replace a secret.',
    body: () => z.object({ name: secretName(), value: z.string().min(1), description: z.string().nullish() }),
    response: item,
    async handle({ body: { name, value, description } }, services) {
      if (isOwnedSecret(name)) throw new HTTPException(422, { message: `The name ${name} is reserved.` });
      const source = { kind: 'StaticSecret' as const, value, description: description ?? undefined };
      await answered(settingsOf(services).secrets.set(name, source));
      return Response.json({ name, description: description ?? null });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/settings/secrets/{name}',
    summary: 'Get the value of a secret.',
    params,
    download: 'text/plain',
    errors,
    async handle({ params: { name } }, services) {
      const value = isOwnedSecret(name) ? undefined : await answered(settingsOf(services).secrets.value(name));
      if (value === undefined) throw new HTTPException(404, { message: 'Secret not found' });
      return new Response(value, {
        headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
      });
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/api/settings/secrets/{name}',
    summary: 'Remove a secret.',
    params,
    response: () => z.record(z.string(), z.boolean()),
    errors,
    async handle({ params: { name } }, services) {
      const isRemoved = !isOwnedSecret(name) && (await settingsOf(services).secrets.remove(name));
      if (!isRemoved) throw new HTTPException(404, { message: 'Secret not found' });
      return Response.json({ deleted: true });
    },
  }),
]);
