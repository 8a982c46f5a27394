import { lazy, type Json } from '@varve/events';
import { llmFields, SettingsError, type SettingKey, type Settings, type SettingValues } from '@varve/settings';
import { llmValuesOf } from '@varve/settings/profiles';
import * as z from 'zod';
import { agentProfileById } from './agent-profile-actions.ts';
import { keyName, receivedLlm, storeKey, type LlmRecord } from './llm-record.ts';
import { storedServer, updateServers } from './mcp-secrets.ts';
import { isObject, mergePatch, type JsonObject, jsonObject } from './merge.ts';
import type { ServerSettings } from './server-settings.ts';
import { activeProfile, conversationSettings, objectOf, policyOf, settingsLlm } from './settings-document.ts';

/** Changes of settings that a client sends. @see agent-server 1.43.1 OpenAPI, SettingsUpdateRequest */
export const settingsChanges = lazy(() =>
  z.object({
    agent_settings_diff: jsonObject().nullish(),
    conversation_settings_diff: jsonObject().nullish(),
    misc_settings_diff: jsonObject().nullish(),
    active_profile: z.string().nullish(),
    active_agent_profile_id: z.string().nullish(),
  }),
);
export type SettingsChanges = z.output<ReturnType<typeof settingsChanges>>;

const conversationFields = lazy(() =>
  z.looseObject({
    max_iterations: z.int().min(1),
    confirmation_mode: z.boolean(),
    security_analyzer: z.string().nullable(),
  }),
);

/**
 * Applies changes.
 *
 * @throws {SettingsError} `missing` for an unknown profile, `invalid` for values that are not accepted.
 */
export async function changeSettings(settings: ServerSettings, changes: SettingsChanges): Promise<void> {
  const current = await settings.current();
  const { agent_settings_diff: agent, conversation_settings_diff: conversation, misc_settings_diff: misc } = changes;
  if (typeof changes.active_profile === 'string') await settings.models.activate(changes.active_profile);
  else if (changes.active_profile === null) await settings.set({ 'roles.agent': undefined });
  if (changes.active_agent_profile_id !== undefined) await activateAgent(settings, changes.active_agent_profile_id);
  if (agent) await changeAgent(settings, { current, change: agent, pointsTo: changes.active_profile ?? undefined });
  if (conversation) await changeConversation(settings, current, conversation);
  if (misc)
    await settings.set((present) => ({
      'reference.misc_settings': deepMerged(jsonIn(present, 'reference.misc_settings'), misc),
    }));
}

/** Returns a JSON object of the file; an empty one without. */
function jsonIn(present: SettingValues, key: SettingKey): JsonObject {
  const value = present[key];
  return isObject(value) ? value : {};
}

async function activateAgent(settings: ServerSettings, id: string | null): Promise<void> {
  if (id === null) return settings.set({ agent_profile: undefined });
  await settings.agents.activate((await agentProfileById(settings, id)).name);
}

/** A change of settings of agents, and the profile that the same request activates. */
interface AgentChange {
  readonly current: Settings;
  readonly change: JsonObject;
  readonly pointsTo: string | undefined;
}

async function changeAgent(settings: ServerSettings, { current, change, pointsTo }: AgentChange): Promise<void> {
  const { llm, mcp_config: servers, ...others } = change;
  await settings.set((present) => agentValues(jsonIn(present, 'reference.agent_settings'), others));
  if (isObject(llm) && pointsTo === undefined) await changeLlm(settings, current, llm);
  if (isObject(servers)) await changeServers(settings, servers);
}

function agentValues(before: JsonObject, change: JsonObject): SettingValues {
  // Another kind of agent starts from its own defaults.
  const isOtherKind = typeof change['agent_kind'] === 'string' && change['agent_kind'] !== before['agent_kind'];
  const merged = objectOf(mergePatch(isOtherKind && before['agent_kind'] !== undefined ? {} : before, change));
  const concurrency = z.int().min(1).max(64).safeParse(merged['tool_concurrency_limit']);
  return {
    'reference.agent_settings': { ...merged, ...(before['llm'] !== undefined && { llm: before['llm'] }) },
    ...(concurrency.success && { concurrency: concurrency.data }),
  };
}

/** Changes the model of the settings. It is then no longer that of a profile. */
async function changeLlm(settings: ServerSettings, current: Settings, change: JsonObject): Promise<void> {
  const profile = await activeProfile(settings, current);
  const before = profile === undefined ? settingsLlm(current) : (await settings.profile(profile)).record;
  await saveSettingsLlm(settings, before, change);
}

/** Copies a model into the settings, and stores the key if there is a new one. */
export async function saveSettingsLlm(settings: ServerSettings, before: LlmRecord, change: JsonObject): Promise<void> {
  const { record, key } = receivedLlm(objectOf(mergePatch(before, change)), await settings.cipher());
  const isErased = 'api_key' in change && key === undefined;
  // The key of a profile is not overwritten: it stays that of the profile.
  const reference =
    key === undefined ? (isErased ? undefined : before['api_key_ref']) : await storeKey(settings.secrets, key);
  await writeLlm(settings, { ...record, ...(reference !== undefined && { api_key_ref: reference }) });
  if (keyName(before['api_key_ref']) !== undefined && reference !== before['api_key_ref']) {
    await forgetUnlessProfile(settings, before);
  }
}

async function writeLlm(settings: ServerSettings, record: LlmRecord): Promise<void> {
  const values: Readonly<Record<string, unknown>> = llmValuesOf(record, 'settings');
  const foreign = Object.entries(record).filter(([field]) => !Object.hasOwn(llmFields, field));
  const llmValues = Object.keys(llmFields).map((field) => [`llm.${field}`, values[field]]);
  await settings.set((present) => ({
    'roles.agent': undefined,
    ...Object.fromEntries(llmValues),
    'reference.agent_settings': { ...jsonIn(present, 'reference.agent_settings'), llm: Object.fromEntries(foreign) },
  }));
}

async function forgetUnlessProfile(settings: ServerSettings, before: LlmRecord): Promise<void> {
  const profiles = await settings.models.readable();
  const isUsed = profiles.some(({ record }) => record['api_key_ref'] === before['api_key_ref']);
  if (!isUsed) await settings.forgetKey(before);
}

async function changeServers(settings: ServerSettings, change: JsonObject): Promise<void> {
  const cipher = await settings.cipher();
  await updateServers(settings, async (servers) => {
    for (const [key, patch] of Object.entries(change)) {
      const before = servers.get(key);
      if (patch === null) servers.delete(key);
      else {
        const server = withoutNulls(mergePatch(before, patch));
        servers.set(key, await storedServer(key, server, { settings, cipher, before }));
      }
    }
  });
}

/** Returns a server without the fields that clients send as null. Its type is checked when it is stored. */
export function withoutNulls(server: Json): Parameters<typeof storedServer>[1] {
  return Object.fromEntries(Object.entries(objectOf(server)).filter(([, value]) => value !== null));
}

/** Writes a policy only if it changes: that of a flag or variable does not become the one of the person. */
async function changeConversation(settings: ServerSettings, current: Settings, change: JsonObject): Promise<void> {
  const { confirmation_mode: _shown, ...stored } = checkedConversation({}, change);
  const before = conversationSettings(current);
  const policy = policyOf(checkedConversation(before, change));
  await settings.set((present) => ({
    'reference.conversation_settings': deepMerged(jsonIn(present, 'reference.conversation_settings'), stored),
    ...(policy !== policyOf(before) && { 'confirmation.policy': policy }),
  }));
}

function checkedConversation(before: JsonObject, change: JsonObject): JsonObject {
  const merged = deepMerged(before, change);
  const { error } = conversationFields().partial().safeParse(merged);
  if (error) throw new SettingsError('invalid', `conversation_settings: ${error.issues[0]?.path.join('.')}.`);
  return merged;
}

/** Merges objects; null removes only inside of nested ones. */
function deepMerged(target: JsonObject, change: JsonObject): JsonObject {
  const nulls = Object.entries(change).filter(([, value]) => value === null);
  return { ...objectOf(mergePatch(target, change)), ...Object.fromEntries(nulls) };
}
