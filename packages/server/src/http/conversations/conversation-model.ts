import { z } from '@hono/zod-openapi';
import { SettingsError } from '@varve/settings';
import { RequestError } from '../../error.ts';
import { askModel, condense } from '../../hosting/changes/side-questions.ts';
import { switchModel } from '../../hosting/changes/switch-model.ts';
import { llmRequest } from '../../reference/request/agent-request.ts';
import { defineRoute, tagged } from '../route/define-route.ts';
import type { Services } from '../services.ts';
import { conversationAction, conversationErrors, conversationParams } from './conversation-action.ts';

/** Routes that use and change the model of a conversation. */
export const conversationModelRoutes = tagged('Conversations', [
  defineRoute({
    method: 'post',
    path: '/api/conversations/{conversation_id}/ask_agent',
    summary: 'Ask the model a side question, which is not stored.',
    params: conversationParams,
    body: () => z.object({ question: z.string() }).openapi('AskAgentRequest'),
    response: () => z.object({ response: z.string() }).openapi('AskAgentResponse'),
    errors: { ...conversationErrors, 500: 'The model failed.' },
    async handle({ params: { conversation_id: id }, body: { question } }, { conversations }) {
      return Response.json({ response: await conversations.use(id, (live) => askModel(question, live)) });
    },
  }),
  conversationAction('/condense', {
    summary: 'Condense what the model sees, now or with the next step of the active run.',
    errors: { 409: 'Calls wait for approval.', 500: 'The model failed.' },
    act: ({ id }, { conversations }) => conversations.use(id, condense),
  }),
  conversationAction('/switch_llm', {
    summary: 'Use another model from the next step on.',
    body: () => z.object({ llm: llmRequest() }).openapi('SwitchLlmRequest'),
    errors: { 400: 'The conversation was created by another program.' },
    act: ({ id, body: { llm } }, { conversations, cipher }) =>
      conversations.change(id, async (live) => switchModel(llm, live, await cipher())),
  }),
  conversationAction('/switch_profile', {
    summary: 'Use the model of a profile from the next step on.',
    body: () => z.object({ profile_name: z.string() }).openapi('SwitchProfileRequest'),
    errors: { 400: 'The name is invalid.' },
    async act({ id, body: { profile_name: name } }, services) {
      const { store, conversations, cipher } = services;
      await store.summary(id);
      const llm = await modelOfProfile(name, services);
      await conversations.change(id, async (live) => switchModel(llm, live, await cipher()));
    },
  }),
  conversationAction('/switch_acp_model', {
    summary: 'Refused: no conversation has an ACP agent.',
    body: () => z.object({ model: z.string() }).openapi('SwitchAcpModelRequest'),
    errors: { 400: 'The conversation has no ACP agent.', 504: 'Never: there are no ACP agents.' },
    async act({ id }, { store }) {
      await store.summary(id);
      throw new RequestError('unsupported', 'switch_acp_model is only supported for ACP conversations.');
    },
  }),
]);

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
