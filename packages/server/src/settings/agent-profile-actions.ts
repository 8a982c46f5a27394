import { z } from '@hono/zod-openapi';
import { lazy, type Json } from '@varve/events';
import { SettingsError } from '@varve/settings';
import type { AgentProfileRecord } from '@varve/settings/profiles';
import { receivedLlm } from './llm-record.ts';
import { hasKey } from './model-of-record.ts';
import { saveProfile } from './profile-actions.ts';
import type { ServerSettings } from './server-settings.ts';
import { currentLlm } from './settings-document.ts';

/** @see agent-server 1.43.1 OpenAPI, AgentProfileInfo */
const info = lazy(() =>
  z
    .object({
      id: z.string().nullable(),
      name: z.string(),
      agent_kind: z.string(),
      revision: z.int().nullable(),
      llm_profile_ref: z.string().nullable(),
      mcp_server_refs: z.array(z.string()).nullable(),
    })
    .openapi('AgentProfileInfo'),
);

/** Agent profiles as clients list them. */
export const agentProfileList = lazy(() =>
  z.object({ profiles: z.array(info()), active_agent_profile_id: z.string().nullable() }),
);

/** Lists the agent profiles that can be read. The first call adds one named `default` and activates it. */
export async function listedAgentProfiles(
  settings: ServerSettings,
): Promise<z.output<ReturnType<typeof agentProfileList>>> {
  if ((await settings.agents.list()).length === 0) await addDefault(settings);
  const listed = (await settings.agents.readable()).map(({ record }) => record);
  const active = (await settings.current()).get('agent_profile');
  return {
    profiles: listed.map(({ id, name, agent_kind, revision, llm_profile_ref: model, mcp_server_refs: servers }) => ({
      id,
      name,
      agent_kind,
      revision,
      llm_profile_ref: model ?? (agent_kind === 'openhands' ? 'default' : null),
      mcp_server_refs: servers ?? null,
    })),
    active_agent_profile_id: listed.find(({ name }) => name === active)?.id ?? null,
  };
}

/**
 * The profile names the active model profile; without one, the model of the settings becomes the profile `default`.
 * Until there is one, the profile uses the model of the settings, and clients receive the name that it will have.
 */
async function addDefault(settings: ServerSettings): Promise<void> {
  const current = await settings.current();
  const active = current.get('roles.agent') ?? 'default';
  const isKnown = (await settings.models.list()).some(({ name }) => name === active);
  const { record, key } = await currentLlm(settings, current);
  if (!isKnown && (key !== undefined || record['base_url'])) {
    await saveProfile(settings, active, { llm: { ...record, api_key: key ?? null }, include_secrets: true });
  }
  const isSaved = (await settings.models.list()).some(({ name }) => name === active);
  // A profile that names a missing model could not be used by the command.
  const model = isSaved ? { llm_profile_ref: active } : {};
  await settings.agents.save({ name: 'default', agent_kind: 'openhands', ...model });
  await settings.agents.activate('default');
}

/** Fields of an agent profile that a client leaves out. @see agent-server 1.43.1, OpenHandsAgentProfile */
const defaults: Readonly<Record<string, Json>> = {
  agent: 'CodeActAgent',
  tools: null,
  system_message_suffix: null,
  disabled_skills: [],
  condenser: { enabled: true, max_size: 240 },
  verification: {},
  enable_sub_agents: false,
  enable_switch_llm_tool: true,
  tool_concurrency_limit: 1,
  mcp_server_refs: null,
};

/** Returns a profile as clients receive it: varve's own settings in it stay here. */
export function shownAgentProfile({ varve: _own, ...record }: AgentProfileRecord): Readonly<Record<string, unknown>> {
  const model = record.llm_profile_ref ?? (record.agent_kind === 'openhands' ? 'default' : null);
  return { ...defaults, ...record, llm_profile_ref: model };
}

/** Returns the profile with an id. @throws {SettingsError} `missing`. */
export async function agentProfileById(settings: ServerSettings, id: string): Promise<AgentProfileRecord> {
  const entry = (await settings.agents.readable()).find(({ record }) => record.id === id);
  if (!entry) throw new SettingsError('missing', `There is no agent profile ${id}.`);
  return entry.record;
}

/** Whether a profile can start a conversation. @see agent-server 1.43.1 OpenAPI, AgentProfileDiagnostics */
export const agentProfileDiagnostics = lazy(() =>
  z
    .object({
      agent_kind: z.string(),
      valid: z.boolean(),
      errors: z.array(z.string()),
      llm_profile_ref: z.string().nullable(),
      llm_profile_resolved: z.boolean(),
      llm_api_key_set: z.boolean(),
      mcp_server_refs: z.array(z.string()).nullable(),
      resolved_mcp_config_keys: z.array(z.string()),
      dangling_mcp_server_refs: z.array(z.string()),
      disabled_skills: z.array(z.string()),
      resolved_skills: z.array(z.string()),
    })
    .openapi('AgentProfileDiagnostics'),
);

/** Looks up everything that a profile names. */
export async function diagnoseAgentProfile(
  settings: ServerSettings,
  profile: AgentProfileRecord,
): Promise<z.output<ReturnType<typeof agentProfileDiagnostics>>> {
  const { llm_profile_ref: model, mcp_server_refs: refs } = profile;
  const servers = Object.keys((await settings.current()).get('mcp_servers') ?? {});
  const resolvedModel = await resolved(settings, model ?? undefined);
  const dangling = (refs ?? []).filter((name) => !servers.includes(name));
  const errors = [
    ...(resolvedModel ? [] : [`The model profile ${JSON.stringify(model ?? null)} does not exist.`]),
    ...dangling.map((name) => `The MCP server ${JSON.stringify(name)} does not exist.`),
  ];
  return {
    agent_kind: profile.agent_kind,
    valid: errors.length === 0,
    errors,
    llm_profile_ref: model ?? null,
    llm_profile_resolved: resolvedModel !== undefined,
    llm_api_key_set: resolvedModel !== undefined && hasKey(resolvedModel, settings.env),
    mcp_server_refs: refs ?? null,
    resolved_mcp_config_keys: (refs ?? servers).filter((name) => servers.includes(name)),
    dangling_mcp_server_refs: dangling,
    disabled_skills: profile.disabled_skills ?? [],
    resolved_skills: [],
  };
}

/** Returns the model of a profile, or that of the settings; undefined if it is missing. */
async function resolved(settings: ServerSettings, name: string | undefined) {
  try {
    const { record, key } =
      name === undefined ? await currentLlm(settings, await settings.current()) : await settings.profile(name);
    return { ...receivedLlm(record, await settings.cipher()), key };
  } catch (error) {
    if (error instanceof SettingsError) return undefined;
    throw error;
  }
}
