import { z } from '@hono/zod-openapi';
import { lazy, type Json } from '@varve/events';
import { conversationId } from '../../reference/info/conversation-id.ts';
import { RequestError } from '../../error.ts';
import { defineRoute } from '../route/define-route.ts';
import type { Route } from '../route/route.ts';
import { setSecrets } from '../../hosting/changes/private-changes.ts';
import { setConfirmation } from '../../hosting/changes/set-confirmation.ts';
import { success, successful } from '../route/route-config.ts';

const tag = 'Conversations';
const params = lazy(() => z.object({ conversation_id: conversationId() }));
const errors = { 404: 'The conversation does not exist, or another process holds it.' };
const named = lazy(() => z.looseObject({ kind: z.string() }));
/** Milliseconds for the current steps of runs. */
const pauseWaitMs = 10_000;

/** Routes that change policies and secrets of conversations. */
export const conversationConfigurationRoutes: readonly Route[] = [
  defineRoute({
    method: 'post',
    path: '/api/conversations/{conversation_id}/confirmation_policy',
    tag,
    summary: 'Set the policy that decides which calls wait for approval.',
    params,
    body: () => z.object({ policy: named() }).openapi('SetConfirmationPolicyRequest'),
    response: success,
    errors,
    async handle({ params: { conversation_id: id }, body: { policy } }, { conversations }) {
      await conversations.change(id, (live) => setConfirmation({ policy: policy as Json }, live));
      return successful();
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/conversations/{conversation_id}/security_analyzer',
    tag,
    summary: 'Set the analyzer that rates calls; null removes it.',
    params,
    body: () => z.object({ security_analyzer: named().nullable() }).openapi('SetSecurityAnalyzerRequest'),
    response: success,
    errors,
    async handle({ params: { conversation_id: id }, body: { security_analyzer: analyzer } }, { conversations }) {
      await conversations.change(id, (live) => setConfirmation({ analyzer: analyzer as Json }, live));
      return successful();
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/conversations/{conversation_id}/secrets',
    tag,
    summary: 'Add or replace secrets, which commands that name them receive.',
    params,
    body: () => z.object({ secrets: z.record(z.string(), z.unknown()) }).openapi('UpdateSecretsRequest'),
    response: success,
    errors,
    async handle({ params: { conversation_id: id }, body: { secrets } }, { conversations, cipher }) {
      await conversations.change(id, async (live) => setSecrets(secrets, live, await cipher()));
      return successful();
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/conversations/{conversation_id}/load_plugin',
    tag,
    summary: 'Add the skills of an installed plugin to a conversation.',
    params,
    body: () => z.object({ plugin_ref: z.string().min(1) }).openapi('LoadPluginRequest'),
    response: success,
    errors: { 400: 'The agent has no context, or is running.', 404: 'The conversation or plugin does not exist.' },
    async handle(
      { params: { conversation_id: id }, body: { plugin_ref: plugin } },
      { store, conversations, packages },
    ) {
      await store.summary(id);
      // The name may be followed by that of a marketplace.
      const [name = ''] = plugin.split('@');
      const missing = new RequestError('unknown', `Plugin not found: ${plugin.slice(0, 100)}`);
      const installed = await packages?.plugins.read(name).catch(() => undefined);
      if (!installed) throw missing;
      await conversations.loadPlugin(id, installed.install_path);
      return successful();
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/conversations/prepare-for-sandbox-pause',
    tag,
    summary: 'Pause all runs and release all conversations, before the machine is paused.',
    status: 204,
    async handle(_input, { conversations }) {
      await conversations.release(AbortSignal.timeout(pauseWaitMs));
      return new Response(null, { status: 204 });
    },
  }),
];
