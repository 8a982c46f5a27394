import type { Json } from '@varve/events';
import {
  type Settings,
  editSettings,
  resolveSettings,
  SettingsError,
  settingsPaths,
  userSettingsPath,
  type FlagValue,
  type SettingsFile,
} from '@varve/settings';
import {
  type ModelProfiles,
  agentProfiles,
  connectedProfile,
  modelProfiles,
  type AgentProfiles,
} from '@varve/settings/profiles';
import { randomUUID } from 'node:crypto';
import { secretStore, type Cipher, type SecretStore } from '@varve/settings/secrets';
import { isTrustedFile } from '@varve/settings/trust';
import type { Variables } from '@varve/text';
import { keyName, type LlmRecord } from './llm-record.ts';
import { isObject } from './merge.ts';

/** Options of {@link serverSettings}. */
export interface ServerSettingsOptions {
  /** Data directory, the one that the command uses, too. */
  readonly home: string;
  readonly env: Variables;
  /** Home directory of the user. */
  readonly userHome?: string | undefined;
  /** Passphrase of the tokens that clients send back; default that of the data directory. */
  readonly passphrase?: string | undefined;
}

/** A model with its key, for requests. */
export interface KeyedLlm {
  readonly record: LlmRecord;
  readonly key: string | undefined;
}

/** Settings of the person whose data directory a server uses. */
export interface ServerSettings {
  /** Variables that may contain keys of models. */
  readonly env: Variables;
  readonly models: ModelProfiles;
  readonly agents: AgentProfiles;
  readonly secrets: SecretStore;
  /** Encrypts secrets that clients send back. */
  cipher(): Promise<Cipher>;
  /** Returns the settings of the person, without those of a workspace and of agent profiles. */
  current(): Promise<Settings>;
  /**
   * Returns the settings in effect in a workspace: with those of its project, as far as a person trusts them, and of an
   * agent profile: that with the id, or the one in use. One that was removed adds nothing.
   */
  at(workspace: string, profile?: { readonly id: string } | 'in-use'): Promise<Settings>;
  /**
   * Changes settings of the user's file; undefined removes one. A function receives those of the file, which no other
   * writer changes before the result is stored.
   */
  set(values: Parameters<typeof editSettings>[1]): Promise<void>;
  /** Returns the model of a profile. @throws {SettingsError} `missing`, `invalid`. */
  profile(name: string): Promise<KeyedLlm>;
  /** Returns the addresses of models that the person has named. */
  addresses(): Promise<readonly string[]>;
  /** Returns the key of a record: of its reference, or as the reference system stored it. */
  keyOf(record: LlmRecord): Promise<string | undefined>;
  /** Removes the key of a record that no other record uses. */
  forgetKey(record: LlmRecord): Promise<void>;
}

/** Opens the settings of a data directory. Nothing is created before the first change. */
export function serverSettings({ home, env, userHome, passphrase }: ServerSettingsOptions): ServerSettings {
  const models = modelProfiles(home);
  const agents = agentProfiles(home, randomUUID);
  const secrets = secretStore({ home, passphrase });
  const current = (): Promise<Settings> => resolveSettings({ home, env });
  const profileFlags = async (id: string): Promise<readonly FlagValue[] | undefined> => {
    const entry = (await agents.readable()).find(({ record }) => record.id === id);
    return entry && [{ key: 'agent_profile', value: entry.name, flag: 'agent_profile_id' }];
  };
  const isTrusted = (file: SettingsFile): Promise<boolean> =>
    isTrustedFile(file, { home, ...(userHome !== undefined && { userHome }) });
  const keyOf = async (record: LlmRecord): Promise<string | undefined> => {
    const { api_key_ref: reference, api_key: stored } = connectedOr(record, await current());
    if (typeof reference === 'string') {
      const [kind, name = ''] = reference.split(':');
      return kind === 'env' ? env[name] : secrets.value(name);
    }
    return typeof stored === 'string' ? (await secrets.cipher()).decrypt(stored) : undefined;
  };
  return {
    env,
    models,
    agents,
    secrets,
    cipher: () => secrets.cipher(),
    current,
    async at(workspace, profile) {
      const flags = typeof profile === 'object' ? await profileFlags(profile.id) : undefined;
      const isUsed = profile === 'in-use' || flags !== undefined;
      const agentProfile = isUsed ? { agentProfile: (name: string) => agents.settings(name) } : {};
      return resolveSettings({ home, env, workspace, isTrusted, ...agentProfile, ...(flags && { flags }) });
    },
    async set(values) {
      const file = {
        path: await userSettingsPath(home),
        layer: 'user',
        lockFile: settingsPaths(home).lockFile,
      } as const;
      await editSettings(file, values);
    },
    async profile(name) {
      const record = await models.read(name);
      return { record: connectedOr(record, await current()), key: await keyOf(record) };
    },
    addresses: async () => personAddresses(await current(), models),
    keyOf,
    async forgetKey(record) {
      const name = keyName(record['api_key_ref']);
      if (name === undefined) return;
      const used = (await current()).get('llm.api_key_ref') === `secret:${name}`;
      if (!used) await secrets.remove(name);
    },
  };
}

/** Returns a profile with what its connection adds; one whose connection was removed as it is, without a key. */
function connectedOr(record: LlmRecord, settings: Settings): LlmRecord {
  try {
    return connectedProfile(record, settings.get('reference.provider_connections'), '');
  } catch (error) {
    if (error instanceof SettingsError && error.code === 'missing') return record;
    throw error;
  }
}

/** Returns the addresses of models in the settings, connections and profiles of a person, as they are written. */
async function personAddresses(settings: Settings, profiles: ModelProfiles): Promise<readonly string[]> {
  const connections = Object.values(settings.get('reference.provider_connections') ?? {});
  const records = (await profiles.readable()).map(({ record }) => record);
  return [settings.get('llm.base_url'), ...[...connections, ...records].map(addressOf)].flatMap(
    (address) => address ?? [],
  );
}

function addressOf(record: Json): string | undefined {
  const address = isObject(record) ? record['base_url'] : undefined;
  return typeof address === 'string' ? address : undefined;
}
