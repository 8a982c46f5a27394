import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from '@hono/zod-openapi';
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { memoryStore } from '@varve/storage';
import { createServices } from '../create-services.ts';
import { listen } from '../listen.ts';
import type { ServerEnv, Route } from './route.ts';
import { defineRoute } from './define-route.ts';
import { repeated } from './query.ts';
const store = memoryStore();
const services = createServices({ store, keys: [] });

function serving({ method, path, handle }: Route): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>();
  app.on(method, path, (context) => handle(context, services));
  return app;
}

const described = { tag: 'Test', summary: 'Echo.', path: '/echo' } as const;
const body = z.object({ name: z.string(), size: z.int().default(1), api_key: z.int().optional() });
const echo = serving(
  defineRoute({ ...described, method: 'post', body: () => body, handle: (input) => Response.json(input.body) }),
);
const optional = serving(
  defineRoute({
    ...described,
    method: 'post',
    body: () => body.partial().optional(),
    handle: (input) => Response.json({ body: input.body ?? null }),
  }),
);

const post = (text_: string) => ({ method: 'POST', body: text_, headers: { 'content-type': 'application/json' } });

test('a body is validated, and its unknown fields are ignored', async () => {
  const response = await echo.request('/echo', post('{"name":"a","other":true}'));
  expect([response.status, await response.json()]).toEqual([200, { name: 'a', size: 1 }]);
});

test('an empty body with a content type is no body', async () => {
  expect(await (await optional.request('/echo', post(''))).json()).toEqual({ body: null });
  expect(await (await optional.request('/echo', { method: 'POST' })).json()).toEqual({ body: null });
});

test.for<readonly [string, object]>([
  ['', { type: 'missing', loc: ['body'] }],
  ['{"name":}', { type: 'json_invalid', loc: ['body', expect.any(Number)] }],
  ['[]', { loc: ['body'] }],
  ['{}', { type: 'missing', loc: ['body', 'name'] }],
  ['{"name":5}', { type: 'string_type', loc: ['body', 'name'], input: 5 }],
  ['{"name":"a","size":"b"}', { type: 'int_parsing', loc: ['body', 'size'] }],
  ['{"name":"a","api_key":"sk-secret"}', { loc: ['body', 'api_key'], input: null }],
  [`${'['.repeat(200)}${']'.repeat(200)}`, { type: 'json_invalid', loc: ['body', 0] }],
])('the body %s is answered with 422 and its place', async ([sent, error]) => {
  const response = await echo.request('/echo', post(sent));
  expect([response.status, await response.json()]).toMatchObject([422, { detail: [error] }]);
});

test('a body above the limit is refused while it is read', async () => {
  const response = await echo.request('/echo', post(`{"name":"${'a'.repeat(33 * 1024 * 1024)}"}`));
  expect(response.status).toBe(413);
});

test('a GET may have a body', async () => {
  const route = defineRoute({
    ...described,
    method: 'get',
    body: () => z.array(z.string()),
    handle: (input) => Response.json(input.body.toReversed()),
  });
  await using listening = await listen({
    fetch: serving(route).fetch,
    host: '127.0.0.1',
    port: 0,
    onStop: async () => undefined,
  });
  const sending = request(`${listening.url}/echo`, { headers: { 'content-length': 9 } });
  sending.end('["a","b"]');
  const [response] = await once(sending, 'response');
  expect(JSON.parse(await text(response))).toEqual(['b', 'a']);
});

test.for<readonly [string, number, unknown]>([
  ['?id=a', 200, ['a']],
  ['?id=a&id=b', 200, ['a', 'b']],
  ['', 422, expect.anything()],
  [`?${'id=a&'.repeat(101)}`, 422, expect.anything()],
])('the repeated parameter of "%s" is answered with %i', async ([query, status, answer]) => {
  const route = defineRoute({
    ...described,
    method: 'get',
    query: () => z.object({ id: repeated(z.string()) }),
    handle: (input) => Response.json(input.query.id),
  });
  const response = await serving(route).request(`/echo${query}`);
  expect([response.status, await response.json()]).toEqual([status, answer]);
});
