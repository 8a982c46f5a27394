import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { listedModels } from '@varve/llm/wrappers';
import { HTTPException } from 'hono/http-exception';
import { defineRoute, tagged } from '../route/define-route.ts';

/** Models that are known to work well as agents, by provider; offered first. */
const verified: Readonly<Record<string, readonly string[]>> = {
  openai: ['gpt-5.1', 'gpt-5.1-codex', 'gpt-5', 'gpt-5-mini'],
  anthropic: ['claude-opus-4-5', 'claude-sonnet-4-5', 'claude-haiku-4-5'],
  gemini: ['gemini-2.5-pro', 'gemini-2.5-flash'],
  deepseek: ['deepseek-chat', 'deepseek-reasoner'],
  mistral: ['devstral-medium-latest', 'mistral-large-latest'],
};

const status = lazy(() =>
  z
    .object({
      vendor: z.string(),
      connected: z.boolean(),
      account_email: z.string().nullable(),
      expires_at: z.int().nullable(),
    })
    .openapi('SubscriptionStatusResponse'),
);
const disconnected = { vendor: 'openai', connected: false, account_email: null, expires_at: null };
const subscription = '/api/llm/subscription/openai';

/** Routes of the catalogue of models, and of subscriptions, which this server does not have. */
export const llmRoutes = tagged('LLM', [
  defineRoute({
    method: 'get',
    path: '/api/llm/providers',
    summary: 'List providers of models.',
    response: () => z.object({ providers: z.array(z.string()) }),
    handle: async () => Response.json({ providers: Object.keys(await listedModels()).toSorted() }),
  }),
  defineRoute({
    method: 'get',
    path: '/api/llm/models',
    summary: 'List known models, of one provider or of all.',
    query: () => z.object({ provider: z.string().optional() }),
    response: () => z.object({ models: z.array(z.string()) }),
    async handle({ query: { provider } }) {
      const listed = Object.entries(await listedModels()).filter(
        ([name]) => provider === undefined || name === provider,
      );
      return Response.json({
        models: listed.flatMap(([name, models]) => models.map((model) => reference(name, model))),
      });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/llm/models/verified',
    summary: 'List models that work well as agents, by provider.',
    response: () => z.object({ models: z.record(z.string(), z.array(z.string())) }),
    handle: () => Response.json({ models: verified }),
  }),
  defineRoute({
    method: 'get',
    path: `${subscription}/models`,
    summary: 'List models of the subscription: none.',
    response: () => z.object({ models: z.array(z.string()) }),
    handle: () => Response.json({ models: [] }),
  }),
  defineRoute({
    method: 'get',
    path: `${subscription}/status`,
    summary: 'Report whether a subscription is connected.',
    response: status,
    handle: () => Response.json(disconnected),
  }),
  defineRoute({
    method: 'post',
    path: `${subscription}/device/start`,
    summary: 'Connect a subscription; not offered.',
    response: () => z.object({ device_code: z.string() }).loose(),
    errors: { 503: 'Not offered.' },
    handle: () => {
      throw new HTTPException(503, { message: 'Subscriptions are not offered: use a key.' });
    },
  }),
  defineRoute({
    method: 'post',
    path: `${subscription}/device/poll`,
    summary: 'Wait for the connection of a subscription; none is started.',
    body: () => z.object({ device_code: z.string() }),
    response: status,
    errors: { 404: 'The code is unknown.' },
    handle: () => {
      throw new HTTPException(404, { message: 'The device code is unknown.' });
    },
  }),
  defineRoute({
    method: 'post',
    path: `${subscription}/logout`,
    summary: 'Disconnect the subscription.',
    response: status,
    handle: () => Response.json(disconnected),
  }),
]);

/** Returns the reference by which a client selects a model: models of OpenAI have no prefix. */
function reference(provider: string, model: string): string {
  return provider === 'openai' ? model : `${provider}/${model}`;
}
