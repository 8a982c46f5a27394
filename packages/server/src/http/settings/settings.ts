import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { SettingsError } from '@varve/settings';
import { HTTPException } from 'hono/http-exception';
import { defineRoute, tagged } from '../route/define-route.ts';
import type { Services } from '../services.ts';
import { changeSettings, settingsChanges } from '../../settings/change-settings.ts';
import { exposureOf } from '../../settings/exposure.ts';
import type { ServerSettings } from '../../settings/server-settings.ts';
import { settingsDocument, settingsResponse } from '../../settings/settings-document.ts';
import { agentSchema, conversationSchema, settingsSchema } from '../../settings/settings-schema.ts';

/** Schema of the path of a named profile. */
export const profileParams = lazy(() => z.object({ name: profileName() }));
/** Schema of the new name of a profile. */
export const newProfileName = lazy(() => z.object({ new_name: profileName() }));
const profileName = lazy(() => z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/));

/** Routes of settings, which are those of the command in the same data directory. */
export const settingsRoutes = tagged('Settings', [
  defineRoute({
    method: 'get',
    path: '/api/settings/agent-schema',
    summary: 'Describe the settings of agents.',
    response: settingsSchema,
    handle: () => Response.json(agentSchema),
  }),
  defineRoute({
    method: 'get',
    path: '/api/settings/conversation-schema',
    summary: 'Describe the settings of conversations.',
    response: settingsSchema,
    handle: () => Response.json(conversationSchema),
  }),
  defineRoute({
    method: 'get',
    path: '/api/settings',
    summary: 'Get all settings, without secrets unless X-Expose-Secrets asks for them.',
    response: settingsResponse,
    errors: { 400: 'The header is unknown.' },
    handle: async ({ request }, services) =>
      Response.json(await settingsDocument(settingsOf(services), exposureOf(request))),
  }),
  defineRoute({
    method: 'patch',
    path: '/api/settings',
    summary: 'Change settings.',
    body: settingsChanges,
    response: settingsResponse,
    errors: { 400: 'Nothing changes.', 404: 'A profile does not exist.', 422: 'The settings are invalid.' },
    async handle({ body }, services) {
      if (Object.values(body).every((value) => value === undefined)) {
        throw new HTTPException(400, { message: 'The request changes nothing.' });
      }
      const settings = settingsOf(services);
      try {
        await changeSettings(settings, body);
      } catch (error) {
        // The reason may contain a value of the request, which may be a secret in the wrong field.
        if (!(error instanceof SettingsError) || error.code === 'io') throw error;
        if (error.code === 'missing') throw new HTTPException(404, { message: error.message });
        throw new HTTPException(422, { message: 'Settings validation failed' });
      }
      return Response.json(await settingsDocument(settings, 'redacted'));
    },
  }),
]);

/** Returns the settings. @throws {HTTPException} 503 for a server without a data directory. */
export function settingsOf({ settings }: Services): ServerSettings {
  if (!settings) throw new HTTPException(503, { message: 'This server has no settings.' });
  return settings;
}
