import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { defineRoute, tagged } from '../route/define-route.ts';
import { exposureOf } from '../../settings/exposure.ts';
import { receivedLlm, shownLlm } from '../../settings/llm-record.ts';
import { listedProfiles, profileList, removeProfile, saveProfile } from '../../settings/profile-actions.ts';
import { hasKey } from '../../settings/model-of-record.ts';
import { answered } from '../../settings/settings-failure.ts';
import { llmProblem, validateLlm } from '../../settings/validate-llm.ts';
import { newProfileName, profileParams, settingsOf } from './settings.ts';
import { jsonObject } from '../../settings/merge.ts';

const mutation = lazy(() => z.object({ name: z.string(), message: z.string() }).openapi('ProfileMutationResponse'));
const errors = { 404: 'There is no such profile.' };

/** Routes of model profiles, which are those of the command. Keys are stored with the secrets. */
export const profileRoutes = tagged('Profiles', [
  defineRoute({
    method: 'get',
    path: '/api/profiles',
    summary: 'List model profiles.',
    response: profileList,
    handle: async (_input, services) => Response.json(await listedProfiles(settingsOf(services))),
  }),
  defineRoute({
    method: 'get',
    path: '/api/profiles/{name}',
    summary: 'Get a model profile, without its key unless X-Expose-Secrets asks for it.',
    params: profileParams,
    response: () => z.object({ name: z.string(), config: jsonObject(), api_key_set: z.boolean() }),
    errors,
    async handle({ params: { name: wanted }, request }, services) {
      const settings = settingsOf(services);
      const exposure = exposureOf(request);
      const { record, key } = await answered(settings.profile(wanted));
      const sent = shownLlm(record, key, exposure, await settings.cipher());
      const config = exposure === 'redacted' ? { ...sent, api_key: null } : sent;
      return Response.json({ name: wanted, config, api_key_set: hasKey({ record, key }, settings.env) });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/profiles/{name}',
    summary: 'Add or replace a model profile.',
    params: profileParams,
    body: () => z.object({ llm: jsonObject(), include_secrets: z.boolean().default(true) }),
    status: 201,
    response: mutation,
    errors: { 409: 'There are too many profiles.' },
    async handle({ params: { name: wanted }, body }, services) {
      await answered(saveProfile(settingsOf(services), wanted, body));
      return Response.json({ name: wanted, message: `Profile '${wanted}' saved` }, { status: 201 });
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/api/profiles/{name}',
    summary: 'Remove a model profile.',
    params: profileParams,
    response: mutation,
    errors: { 409: 'An agent profile names it.' },
    async handle({ params: { name: wanted } }, services) {
      await answered(removeProfile(settingsOf(services), wanted), { invalid: 409 });
      return Response.json({ name: wanted, message: `Profile '${wanted}' deleted` });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/profiles/{name}/rename',
    summary: 'Rename a model profile, also where it is named.',
    params: profileParams,
    body: newProfileName,
    response: mutation,
    errors: { ...errors, 409: 'The new name exists.' },
    async handle({ params: { name: from }, body: { new_name: to } }, services) {
      await answered(settingsOf(services).models.rename(from, to), { invalid: 409 });
      return Response.json({ name: to, message: `Profile '${from}' renamed to '${to}'` });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/profiles/{name}/activate',
    summary: 'Make a model profile the one in use.',
    params: profileParams,
    response: () => mutation().extend({ llm_applied: z.boolean() }).openapi('ActivateProfileResponse'),
    errors,
    async handle({ params: { name: wanted } }, services) {
      await answered(settingsOf(services).models.activate(wanted));
      return Response.json({ name: wanted, message: `Profile '${wanted}' activated`, llm_applied: true });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/profiles/{name}/validate',
    summary: 'Check a model by one short request.',
    params: profileParams,
    body: () => z.object({ llm: jsonObject() }),
    response: () => z.object({ valid: z.boolean(), error: llmProblem().nullable() }).openapi('ValidateProfileResponse'),
    async handle({ body, request }, services) {
      const settings = settingsOf(services);
      const received = receivedLlm({ model: 'gpt-5.5', ...body.llm }, await settings.cipher());
      const error = await validateLlm(received, { env: settings.env, signal: request.signal });
      return Response.json({ valid: error === null, error });
    },
  }),
]);
