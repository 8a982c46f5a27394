import { randomUUID } from 'node:crypto';
import type { FlagValue, PlacedValue, Settings, SettingsFile } from '@varve/settings';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { userHome, varveHome } from './varve-home.ts';

/** What a command adds to the user's settings. */
export interface SettingsOptions {
  /** Directory of the agent, whose project file is read; absent to read none. */
  readonly workspace?: string;
  readonly flags?: readonly FlagValue[];
}

/**
 * Resolves the settings of an invocation from its flags, its environment and the files.
 *
 * @throws {SettingsError} as `resolveSettings` does.
 */
export async function settingsFor(io: TerminalIo, options: SettingsOptions = {}): Promise<Settings> {
  const home = varveHome(io);
  // Loaded here, so that the help appears faster; agent profiles are rarely used, and load the models.
  const { resolveSettings } = await import('@varve/settings');
  const agentProfile = async (name: string): Promise<readonly PlacedValue[]> => {
    const { agentProfiles } = await import('@varve/settings/profiles');
    return agentProfiles(home, randomUUID).settings(name);
  };
  const isTrusted = async (file: SettingsFile): Promise<boolean> =>
    (await import('@varve/settings/trust')).isTrustedFile(file, { home, userHome: userHome(io) });
  return resolveSettings({ home, env: io.env, agentProfile, isTrusted, ...options });
}
