import type { Variables } from '@varve/text';
import { definitionOf, settingKeys, type SettingKey, type SettingValue } from '../definitions/settings.ts';
import { settingsOfText } from './document.ts';
import { environmentLayer } from './environment-layer.ts';
import type { Layer, PlacedValue } from './layer.ts';
import type { Origin } from './origin.ts';
import { checkedValue } from './parse-value.ts';
import { projectLayer } from './project-layer.ts';
import { projectSettingsFile, userSettingsFile, type SettingsFile } from './settings-files.ts';

/** Value of a flag. */
export interface FlagValue {
  readonly key: SettingKey;
  readonly value: unknown;
  /** The flag with its hyphens. */
  readonly flag: string;
}

/** Sources of settings. */
export interface SettingsSources {
  /** Varve's data directory. */
  readonly home: string;
  /** Directory of the agent, whose project file is read; absent to read none. */
  readonly workspace?: string;
  readonly env: Variables;
  readonly flags?: readonly FlagValue[];
  /** Values of the agent profile that is in use, for the name in the setting `agent_profile`. */
  readonly agentProfile?: (name: string) => Promise<readonly PlacedValue[]>;
  /** Reports whether a person trusts exactly this project file; none is trusted when absent. */
  readonly isTrusted?: (file: SettingsFile) => boolean | Promise<boolean>;
}

/** Value of one setting with its place, and the values that it hides. */
export interface SettingEntry extends PlacedValue {
  /** The strongest first. */
  readonly hidden: readonly PlacedValue[];
}

/** Settings in effect. */
export interface Settings {
  /** Returns the value of a setting; undefined if it has none. */
  get<Key extends SettingKey>(key: Key): SettingValue<Key> | undefined;
  /** Returns the value of a setting and its place. */
  entry(key: SettingKey): SettingEntry | undefined;
  /** All settings with a value, in the order of listings. */
  readonly entries: readonly SettingEntry[];
  /** Problems that do not prevent a run, each one sentence. */
  readonly warnings: readonly string[];
}

/**
 * Resolves settings. The strongest source first: flags, environment, agent profile, project file, user file, defaults.
 *
 * @throws {SettingsError} `invalid` for an unknown key or a value of a wrong type, with its place; `io`.
 */
export async function resolveSettings(sources: SettingsSources): Promise<Settings> {
  const { home, workspace, env, agentProfile } = sources;
  const [user, project] = [await userLayer(home), await projectLayerOf(sources, workspace)];
  const [flags, environment] = [flagLayer(sources.flags ?? []), environmentLayer(env)];
  const profileName = settingsOf([flags, environment, user]).get('agent_profile');
  const values = profileName === undefined ? [] : ((await agentProfile?.(profileName)) ?? []);
  return settingsOf([flags, environment, { values, warnings: [] }, project, user, defaults]);
}

const none: Layer = { values: [], warnings: [] };

const defaults: Layer = {
  values: settingKeys.flatMap((key) => {
    const { defaultValue } = definitionOf(key);
    return defaultValue === undefined ? [] : [{ key, value: defaultValue, origin: { kind: 'default' } as const }];
  }),
  warnings: [],
};

async function userLayer(home: string): Promise<Layer> {
  const file = await userSettingsFile(home);
  return file ? { values: settingsOfText(file.text, { path: file.path, layer: 'user' }), warnings: [] } : none;
}

async function projectLayerOf({ home, isTrusted }: SettingsSources, workspace: string | undefined): Promise<Layer> {
  const file = workspace === undefined ? undefined : await projectSettingsFile(workspace, home);
  return file ? projectLayer(file, (await isTrusted?.(file)) ?? false) : none;
}

function flagLayer(flags: readonly FlagValue[]): Layer {
  const values = flags.map(({ key, value, flag }) => {
    const origin: Origin = { kind: 'flag', name: flag };
    return { key, value: checkedValue(key, value, flag), origin };
  });
  return { values, warnings: [] };
}

/** Combines layers, the strongest first. */
function settingsOf(layers: readonly Layer[]): Settings {
  const byKey = new Map<SettingKey, readonly PlacedValue[]>();
  for (const value of layers.flatMap(({ values }) => values)) {
    byKey.set(value.key, [...(byKey.get(value.key) ?? []), value]);
  }
  const entry = (key: SettingKey): SettingEntry | undefined => {
    const [winner, ...hidden] = byKey.get(key) ?? [];
    return winner && { ...winner, hidden };
  };
  return {
    // The value has passed the schema of its setting.
    get: <Key extends SettingKey>(key: Key) => entry(key)?.value as SettingValue<Key> | undefined,
    entry,
    entries: settingKeys.flatMap((key) => entry(key) ?? []),
    warnings: layers.flatMap(({ warnings }) => warnings),
  };
}
