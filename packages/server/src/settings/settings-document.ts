import { z } from '@hono/zod-openapi';
import { lazy, type Json } from '@varve/events';
import { llmFields, SettingsError, type Settings } from '@varve/settings';
import type { Cipher, Exposure } from '@varve/settings/secrets';
import { shownLlm, type LlmRecord } from './llm-record.ts';
import { exposedServers } from './mcp-secrets.ts';
import { isObject, jsonObject, mergePatch, type JsonObject } from './merge.ts';
import { hasKey } from './model-of-record.ts';
import type { KeyedLlm, ServerSettings } from './server-settings.ts';

/** Settings of agents that a client did not change. @see agent-server 1.43.1, OpenHandsAgentSettings */
const agentDefaults: JsonObject = {
  schema_version: 5,
  agent_kind: 'openhands',
  agent: 'CodeActAgent',
  tools: null,
  enable_sub_agents: false,
  enable_switch_llm_tool: true,
  tool_concurrency_limit: 1,
  agent_context: {
    skills: [],
    system_message_suffix: null,
    user_message_suffix: null,
    load_user_skills: false,
    load_public_skills: false,
    load_project_skills: false,
    disabled_skills: [],
  },
  condenser: { enabled: true, max_size: 240, condenser_kind: 'llm_summarizing', max_tokens: null, keep_first: 2 },
  verification: { critic_enabled: false },
};

const conversationDefaults: JsonObject = {
  schema_version: 1,
  max_iterations: 500,
  security_analyzer: 'llm',
};

/** Preferences of front ends that a person did not change. Statistics of use need a consent. */
const defaultPreferences: JsonObject = { user_consents_to_analytics: false };

/** Returns the settings of front ends. */
function miscSettings(current: Settings): JsonObject {
  const stored = objectOf(current.get('reference.misc_settings'));
  return { ...stored, app_preferences: { ...defaultPreferences, ...objectOf(stored['app_preferences']) } };
}

type ConfirmationName = 'plan' | 'ask' | 'edits' | 'auto' | 'never';

/** Answer with all settings. @see agent-server 1.43.1 OpenAPI, SettingsResponse */
export const settingsResponse = lazy(() =>
  z
    .object({
      agent_settings: jsonObject(),
      conversation_settings: jsonObject(),
      llm_api_key_is_set: z.boolean(),
      active_profile: z.string().nullable(),
      active_agent_profile_id: z.string().nullable(),
      misc_settings: jsonObject(),
    })
    .openapi('SettingsResponse'),
);
type SettingsDocument = z.output<ReturnType<typeof settingsResponse>>;

/** Returns all settings, with secrets as `exposure` requires. */
export async function settingsDocument(settings: ServerSettings, exposure: Exposure): Promise<SettingsDocument> {
  const current = await settings.current();
  const cipher = await settings.cipher();
  const llm = await currentLlm(settings, current);
  return {
    agent_settings: {
      ...agentSettings(current, llm, { exposure, cipher }),
      mcp_config: await exposedServers(current.get('mcp_servers') ?? {}, { settings, exposure, cipher }),
    },
    conversation_settings: conversationSettings(current),
    llm_api_key_is_set: hasKey(llm, settings.env),
    active_profile: (await activeProfile(settings, current)) ?? null,
    active_agent_profile_id: await activeAgentProfile(settings, current),
    misc_settings: miscSettings(current),
  };
}

/** Returns the model in effect: that of the active profile, else that of the settings. */
export async function currentLlm(settings: ServerSettings, current: Settings): Promise<KeyedLlm> {
  const profile = await activeProfile(settings, current);
  if (profile !== undefined) return settings.profile(profile);
  const record = settingsLlm(current);
  return { record, key: await settings.keyOf(record) };
}

/** Tests whether the model in effect can be called. */
export async function isModelReady(settings: ServerSettings): Promise<boolean> {
  try {
    return hasKey(await currentLlm(settings, await settings.current()), settings.env);
  } catch (error) {
    if (error instanceof SettingsError) return false;
    throw error;
  }
}

/** Returns the name of the active profile; undefined without one, and for one that is missing. */
export async function activeProfile({ models }: ServerSettings, current: Settings): Promise<string | undefined> {
  const name = current.get('roles.agent');
  if (name === undefined) return undefined;
  return (await models.list()).some((each) => each.name === name) ? name : undefined;
}

/** Returns the model of the settings. Fields that varve uses, too, are settings of their own. */
export function settingsLlm(current: Settings): LlmRecord {
  const stored = objectOf(objectOf(current.get('reference.agent_settings'))['llm']);
  const fields = Object.keys(llmFields).map((field) => [field, current.get(`llm.${field as 'model'}`)]);
  return { ...stored, ...Object.fromEntries(fields.filter(([, value]) => value !== undefined)) } as LlmRecord;
}

function agentSettings(
  current: Settings,
  { record, key }: KeyedLlm,
  { exposure, cipher }: { readonly exposure: Exposure; readonly cipher: Cipher },
): JsonObject {
  const stored = mergePatch(agentDefaults, objectOf(current.get('reference.agent_settings')));
  const concurrency = current.get('concurrency');
  return {
    ...objectOf(stored),
    ...(concurrency !== undefined && { tool_concurrency_limit: concurrency }),
    llm: shownLlm(record, key, exposure, cipher),
  };
}

/** Returns the settings of conversations. What is asked about is the setting that the command has, too. */
export function conversationSettings(current: Settings): JsonObject {
  const stored = objectOf(current.get('reference.conversation_settings'));
  return {
    ...conversationDefaults,
    max_iterations: current.get('budget.steps') ?? 500,
    ...stored,
    ...shownConfirmation(current.get('confirmation.policy') ?? 'auto', stored),
  };
}

/**
 * Returns a policy as clients receive it. With the analyzer `llm` they ask about risky calls, with another one about
 * all.
 */
function shownConfirmation(policy: ConfirmationName, stored: JsonObject): JsonObject {
  if (policy === 'never') return { confirmation_mode: false };
  const analyzer = stored['security_analyzer'];
  const other = analyzer === undefined || analyzer === 'llm' ? null : analyzer;
  return { confirmation_mode: true, security_analyzer: policy === 'auto' ? 'llm' : other };
}

/** Returns the policy that settings of conversations mean. */
export function policyOf({ confirmation_mode: mode, security_analyzer: analyzer }: JsonObject): ConfirmationName {
  if (mode !== true) return 'never';
  return analyzer === 'llm' ? 'auto' : 'ask';
}

async function activeAgentProfile({ agents }: ServerSettings, current: Settings): Promise<string | null> {
  const name = current.get('agent_profile');
  return (await agents.readable()).find(({ record }) => record.name === name)?.record.id ?? null;
}

/** Returns a JSON object; an empty one for anything else. */
export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
