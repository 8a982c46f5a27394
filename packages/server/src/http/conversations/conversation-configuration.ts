import { z } from '@hono/zod-openapi';
import { lazy, type Json } from '@varve/events';
import { RequestError } from '../../error.ts';
import { setSecrets } from '../../hosting/changes/private-changes.ts';
import { setConfirmation } from '../../hosting/changes/set-confirmation.ts';
import { defineRoute, tagged } from '../route/define-route.ts';
import { conversationAction } from './conversation-action.ts';

const named = lazy(() => z.looseObject({ kind: z.string() }));
/** Milliseconds for the current steps of runs. */
const pauseWaitMs = 10_000;

/** Routes that change policies and secrets of conversations. */
export const conversationConfigurationRoutes = tagged('Conversations', [
  conversationAction('/confirmation_policy', {
    summary: 'Set the policy that decides which calls wait for approval.',
    body: () => z.object({ policy: named() }).openapi('SetConfirmationPolicyRequest'),
    act: ({ id, body: { policy } }, { conversations }) =>
      conversations.change(id, (live) => setConfirmation({ policy: policy as Json }, live)),
  }),
  conversationAction('/security_analyzer', {
    summary: 'Set the analyzer that rates calls; null removes it.',
    body: () => z.object({ security_analyzer: named().nullable() }).openapi('SetSecurityAnalyzerRequest'),
    act: ({ id, body: { security_analyzer: analyzer } }, { conversations }) =>
      conversations.change(id, (live) => setConfirmation({ analyzer: analyzer as Json }, live)),
  }),
  conversationAction('/secrets', {
    summary: 'Add or replace secrets, which commands that name them receive.',
    body: () => z.object({ secrets: z.record(z.string(), z.unknown()) }).openapi('UpdateSecretsRequest'),
    act: ({ id, body: { secrets } }, { conversations, cipher }) =>
      conversations.change(id, async (live) => setSecrets(secrets, live, await cipher())),
  }),
  conversationAction('/load_plugin', {
    summary: 'Add the skills of an installed plugin to a conversation.',
    body: () => z.object({ plugin_ref: z.string().min(1) }).openapi('LoadPluginRequest'),
    errors: { 400: 'The agent has no context, or is running.', 404: 'The conversation or plugin does not exist.' },
    async act({ id, body: { plugin_ref: plugin } }, { store, conversations, packages }) {
      await store.summary(id);
      // The name may be followed by that of a marketplace.
      const [name = ''] = plugin.split('@');
      const missing = new RequestError('unknown', `Plugin not found: ${plugin.slice(0, 100)}`);
      const installed = await packages?.plugins.read(name).catch(() => undefined);
      if (!installed) throw missing;
      await conversations.loadPlugin(id, installed.install_path);
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/conversations/prepare-for-sandbox-pause',
    summary: 'Pause all runs and release all conversations, before the machine is paused.',
    status: 204,
    async handle(_input, { conversations }) {
      await conversations.release(AbortSignal.timeout(pauseWaitMs));
      return new Response(null, { status: 204 });
    },
  }),
]);
