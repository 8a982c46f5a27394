import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { agentProfileFields } from '@varve/settings/profiles';
import { HTTPException } from 'hono/http-exception';
import { defineRoute, tagged } from '../route/define-route.ts';
import {
  agentProfileById,
  agentProfileDiagnostics,
  agentProfileList,
  diagnoseAgentProfile,
  listedAgentProfiles,
  shownAgentProfile,
} from '../../settings/agent-profile-actions.ts';
import { answered } from '../../settings/settings-failure.ts';
import { newProfileName, profileParams, settingsOf } from './settings.ts';
import { jsonObject } from '../../settings/merge.ts';

const mutation = lazy(() =>
  z.object({ name: z.string(), message: z.string() }).openapi('AgentProfileMutationResponse'),
);
const errors = { 404: 'There is no such profile.' };

/** Routes of agent profiles, which are those of the command. */
export const agentProfileRoutes = tagged('Agent Profiles', [
  defineRoute({
    method: 'get',
    path: '/api/agent-profiles',
    summary: 'List agent profiles; the first call adds a default one.',
    response: agentProfileList,
    handle: async (_input, services) => Response.json(await answered(listedAgentProfiles(settingsOf(services)))),
  }),
  defineRoute({
    method: 'get',
    path: '/api/agent-profiles/{name}',
    summary: 'Get an agent profile.',
    params: profileParams,
    response: () => z.object({ name: z.string(), profile: jsonObject() }),
    errors,
    async handle({ params: { name: wanted } }, services) {
      const record = await answered(settingsOf(services).agents.read(wanted));
      return Response.json({ name: wanted, profile: shownAgentProfile(record) });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/agent-profiles/{name}',
    summary: 'Add or replace an agent profile.',
    params: profileParams,
    body: jsonObject,
    status: 201,
    response: mutation,
    async handle({ params: { name: wanted }, body }, services) {
      const { id: _id, revision: _revision, varve: _own, ...fields } = body;
      const problem = problemOf(fields);
      if (problem) return Response.json({ detail: [problem] }, { status: 422 });
      await answered(settingsOf(services).agents.save({ ...fields, name: wanted }));
      return Response.json({ name: wanted, message: `Agent profile '${wanted}' saved` }, { status: 201 });
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/api/agent-profiles/{name}',
    summary: 'Remove an agent profile.',
    params: profileParams,
    response: mutation,
    async handle({ params: { name: wanted } }, services) {
      await answered(settingsOf(services).agents.remove(wanted));
      return Response.json({ name: wanted, message: `Agent profile '${wanted}' deleted` });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/agent-profiles/{name}/rename',
    summary: 'Rename an agent profile.',
    params: profileParams,
    body: newProfileName,
    response: mutation,
    errors: { ...errors, 409: 'The new name exists.' },
    async handle({ params: { name: from }, body: { new_name: to } }, services) {
      await answered(settingsOf(services).agents.rename(from, to), { invalid: 409 });
      return Response.json({ name: to, message: `Agent profile '${from}' renamed to '${to}'` });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/agent-profiles/{profile_id}/activate',
    summary: 'Make an agent profile the one in use.',
    params: () => z.object({ profile_id: z.string() }),
    response: () =>
      z
        .object({ id: z.string(), message: z.string(), agent_settings_applied: z.boolean() })
        .openapi('ActivateAgentProfileResponse'),
    errors,
    async handle({ params: { profile_id: id } }, services) {
      const settings = settingsOf(services);
      const { name: wanted } = await answered(agentProfileById(settings, id));
      await answered(settings.agents.activate(wanted));
      return Response.json({ id, message: `Agent profile '${wanted}' activated`, agent_settings_applied: false });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/agent-profiles/{name}/materialize',
    summary: 'Report whether an agent profile can start a conversation.',
    params: profileParams,
    response: agentProfileDiagnostics,
    errors,
    async handle({ params: { name: wanted } }, services) {
      const settings = settingsOf(services);
      const record = await answered(settings.agents.read(wanted));
      return Response.json(await diagnoseAgentProfile(settings, record));
    },
  }),
]);

/** Fields that clients send and varve stores as they are. */
const passed = ['agent', 'enable_sub_agents', 'enable_switch_llm_tool', 'schema_version', 'name', 'agent_kind'];
const known = lazy(() => new Set([...passed, ...agentProfileFields()]));

/** Returns the first problem, as the reference describes it. */
function problemOf(fields: Readonly<Record<string, unknown>>): object | undefined {
  if (fields['agent_kind'] === 'acp')
    throw new HTTPException(422, { message: 'Agents of other programs are not run.' });
  if (typeof fields['llm_profile_ref'] !== 'string') {
    return { type: 'missing', loc: ['openhands', 'llm_profile_ref'], msg: 'Field required', input: {} };
  }
  const unknown = Object.keys(fields).find((field) => !known().has(field));
  if (unknown === undefined) return undefined;
  return { type: 'extra_forbidden', loc: ['openhands', unknown], msg: 'Extra inputs are not permitted', input: null };
}
