import { SettingsError } from '@varve/settings';
import { RequestError } from '../request-error.ts';
import { agentProfileById } from '../settings/agent-profile-actions.ts';
import type { ServerSettings } from '../settings/server-settings.ts';
import { agentOfSettings, agentSettings, type AgentRequest } from './agent-request.ts';

/** The agent of a profile, and what shows where it comes from. */
export interface ProfiledAgent {
  readonly agent: AgentRequest;
  readonly launched: { readonly agent_profile_id: string; readonly revision: number };
}

/**
 * Returns the agent that a stored profile describes, with the key of its model.
 *
 * @throws {RequestError} `unknown` for a missing profile, `invalid` for one that names a missing model.
 * @see agent-server 1.43.1 OpenAPI, OpenHandsAgentProfile: replies of its models are streamed
 */
export async function agentOfProfile(id: string, settings: ServerSettings | undefined): Promise<ProfiledAgent> {
  const missing = (cause?: unknown): RequestError =>
    new RequestError('unknown', `Agent profile not found: ${id}`, { cause });
  if (!settings) throw missing();
  const profile = await agentProfileById(settings, id).catch((error: unknown) => {
    throw isMissing(error) ? missing(error) : error;
  });
  const { llm_profile_ref: name, tools, condenser, system_message_suffix: suffix, revision } = profile;
  try {
    const { record, key } = await settings.profile(name ?? 'default');
    const agent = agentOfSettings(
      agentSettings.parse({
        llm: { ...record, api_key: key ?? null, stream: true },
        tools: tools?.map((tool) => (typeof tool === 'string' ? { name: tool } : tool)),
        condenser,
        tool_concurrency_limit: profile.tool_concurrency_limit ?? 1,
        ...(suffix && { agent_context: { system_message_suffix: suffix } }),
      }),
    );
    return { agent, launched: { agent_profile_id: id, revision } };
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw new RequestError('invalid', `The agent profile names the model profile ${name}, which does not exist.`, {
      cause,
    });
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof SettingsError && error.code === 'missing';
}
