import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { SettingsError } from '@varve/settings';
import { conversationId } from '../../reference/info/conversation-id.ts';
import { RequestError } from '../../error.ts';
import { askModel, condense } from '../../hosting/changes/side-questions.ts';
import { switchModel } from '../../hosting/changes/switch-model.ts';
import { llmRequest } from '../../reference/request/agent-request.ts';
import { defineRoute } from '../route/define-route.ts';
import type { Route } from '../route/route.ts';
import type { Services } from '../services.ts';
import { success, successful } from '../route/route-config.ts';

const tag = 'Conversations';
const params = lazy(() => z.object({ conversation_id: conversationId() }));
const errors = { 404: 'The conversation does not exist, or another process holds it.' };

/** Routes that use and change the model of a conversation. */
export const conversationModelRoutes: readonly Route[] = [
  defineRoute({
    method: 'post',
    path: '/api/conversations/{conversation_id}/ask_agent',
    tag,
    summary: 'Ask the model a side question, which is not stored.',
    params,
    body: () => z.object({ question: z.string() }).openapi('AskAgentRequest'),
    response: () => z.object({ response: z.string() }).openapi('AskAgentResponse'),
    errors: { ...errors, 500: 'The model failed.' },
    async handle({ params: { conversation_id: id }, body: { question } }, { conversations }) {
      return Response.json({ response: await conversations.use(id, (live) => askModel(question, live)) });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/conversations/{conversation_id}/condense',
    tag,
    summary: 'Condense what the model sees, now or with the next step of the active run.',
    params,
    response: success,
    errors: { ...errors, 409: 'Calls wait for approval.', 500: 'The model failed.' },
    async handle({ params: { conversation_id: id } }, { conversations }) {
      await conversations.use(id, condense);
      return successful();
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/conversations/{conversation_id}/switch_llm',
    tag,
    summary: 'Use another model from the next step on.',
    params,
    body: () => z.object({ llm: llmRequest() }).openapi('SwitchLlmRequest'),
    response: success,
    errors: { ...errors, 400: 'The conversation was created by another program.' },
    async handle({ params: { conversation_id: id }, body: { llm } }, { conversations, cipher }) {
      await conversations.change(id, async (live) => switchModel(llm, live, await cipher()));
      return successful();
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/conversations/{conversation_id}/switch_profile',
    tag,
    summary: 'Use the model of a profile from the next step on.',
    params,
    body: () => z.object({ profile_name: z.string() }).openapi('SwitchProfileRequest'),
    response: success,
    errors: { ...errors, 400: 'The name is invalid.' },
    async handle({ params: { conversation_id: id }, body: { profile_name: name } }, services) {
      const { store, conversations, cipher } = services;
      await store.summary(id);
      const llm = await modelOfProfile(name, services);
      await conversations.change(id, async (live) => switchModel(llm, live, await cipher()));
      return successful();
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/conversations/{conversation_id}/switch_acp_model',
    tag,
    summary: 'Refused: no conversation has an ACP agent.',
    params,
    body: () => z.object({ model: z.string() }).openapi('SwitchAcpModelRequest'),
    response: success,
    errors: { ...errors, 400: 'The conversation has no ACP agent.', 504: 'Never: there are no ACP agents.' },
    async handle({ params: { conversation_id: id } }, { store }) {
      await store.summary(id);
      throw new RequestError('unsupported', 'switch_acp_model is only supported for ACP conversations.');
    },
  }),
];

/**
 * Returns the model of a profile with its key, under a usage id of its own.
 *
 * @throws {RequestError} `unknown` for a missing profile, `unsupported` for an invalid name.
 */
async function modelOfProfile(name: string, { settings }: Services): Promise<Readonly<Record<string, unknown>>> {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    throw new RequestError('unsupported', `${JSON.stringify(name.slice(0, 100))} is not the name of a profile.`);
  }
  try {
    const keyed = await settings?.profile(name);
    if (keyed) return { ...keyed.record, api_key: keyed.key ?? null, usage_id: `profile:${name}` };
  } catch (error) {
    if (!(error instanceof SettingsError && error.code === 'missing')) throw error;
  }
  throw new RequestError('unknown', `Profile '${name}' not found`);
}
