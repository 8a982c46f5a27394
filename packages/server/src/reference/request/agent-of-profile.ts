import { SettingsError, type Settings } from '@varve/settings';
import type { AgentProfileRecord } from '@varve/settings/profiles';
import { RequestError } from '../../error.ts';
import { agentProfileById } from '../../settings/agent-profile-actions.ts';
import type { KeyedLlm, ServerSettings } from '../../settings/server-settings.ts';
import { currentLlm } from '../../settings/settings-document.ts';
import { agentOfSettings, agentSettings, type AgentRequest } from './agent-request.ts';

/** The agent of a profile, and what shows where it comes from. */
export interface ProfiledAgent {
  readonly agent: AgentRequest;
  readonly launched: { readonly agent_profile_id: string; readonly revision: number };
}

/**
 * Returns the agent that a stored profile describes, with the key of its model: the one that it names, else that of the
 * settings.
 *
 * @throws {RequestError} `unknown` for a missing profile, `invalid` for one that names a missing model or server, or
 * has a wrong field.
 * @see agent-server 1.43.1 OpenAPI, OpenHandsAgentProfile: replies of its models are streamed
 */
export async function agentOfProfile(id: string, settings: ServerSettings | undefined): Promise<ProfiledAgent> {
  const missing = (cause?: unknown): RequestError =>
    new RequestError('unknown', `Agent profile not found: ${id}`, { cause });
  if (!settings) throw missing();
  const profile = await agentProfileById(settings, id).catch((error: unknown) => {
    throw isMissing(error) ? missing(error) : error;
  });
  const { tools, condenser, system_message_suffix: suffix, revision, disabled_skills: disabled } = profile;
  const current = await settings.current();
  const { record, key } = await modelOf(profile, settings, current);
  const servers = serversOf(profile, current);
  const { data, error } = agentSettings().safeParse({
    llm: { ...record, api_key: key ?? null, stream: true },
    tools: tools?.map((tool) => (typeof tool === 'string' ? { name: tool } : tool)),
    condenser,
    tool_concurrency_limit: profile.tool_concurrency_limit ?? 1,
    enable_sub_agents: profile['enable_sub_agents'] === true,
    enable_switch_llm_tool: profile['enable_switch_llm_tool'] !== false,
    ...(servers && { mcp_config: servers }),
    agent_context: {
      ...(suffix && { system_message_suffix: suffix }),
      ...(disabled && { disabled_skills: disabled }),
    },
  });
  if (!data) throw new RequestError('invalid', `The agent profile is invalid: ${error.issues[0]?.path.join('.')}.`);
  const agent = agentOfSettings(data);
  return { agent, launched: { agent_profile_id: id, revision } };
}

async function modelOf(
  { llm_profile_ref: name }: AgentProfileRecord,
  settings: ServerSettings,
  current: Settings,
): Promise<KeyedLlm> {
  if (typeof name !== 'string') return currentLlm(settings, current);
  try {
    return await settings.profile(name);
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw new RequestError('invalid', `The agent profile names the model profile ${name}, which does not exist.`, {
      cause,
    });
  }
}

/**
 * Returns the servers that a profile chooses; undefined for all of the settings.
 *
 * @throws {RequestError} `invalid` with the names of servers that the settings do not have.
 */
function serversOf({ mcp_server_refs: names }: AgentProfileRecord, current: Settings): object | undefined {
  if (!names) return undefined;
  const servers = current.get('mcp_servers') ?? {};
  const dangling = names.filter((name) => !Object.hasOwn(servers, name));
  if (dangling.length > 0) {
    const message = `The agent profile names MCP servers that do not exist: ${dangling.join(', ')}.`;
    throw new RequestError('invalid', message, { fields: { dangling_mcp_server_refs: dangling } });
  }
  return Object.fromEntries(names.map((name) => [name, servers[name]]));
}

function isMissing(error: unknown): boolean {
  return error instanceof SettingsError && error.code === 'missing';
}
