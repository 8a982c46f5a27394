import { randomUUID } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import type { FlagValue, PlacedValue, Settings, SettingsFile } from '@varve/settings';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { varveHome } from './varve-home.ts';

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
  const isTrusted = (file: SettingsFile): Promise<boolean> => isTrustedFile(file, home);
  return resolveSettings({ home, env: io.env, agentProfile, isTrusted, ...options });
}

/** Reports whether exactly this text of a project's file is part of a configuration that a person has trusted. */
async function isTrustedFile({ path, text }: SettingsFile, home: string): Promise<boolean> {
  const { readConfiguration, trustStore } = await import('@varve/settings/trust');
  const { SettingsError } = await import('@varve/settings');
  try {
    const configuration = await readConfiguration(dirname(dirname(path)), { home });
    const bytes = configuration.read(relative(configuration.workspace, await realpath(path)));
    const isSame = bytes !== undefined && Buffer.from(text).equals(bytes);
    return isSame && (await trustStore({ home }).status(configuration)) === 'trusted';
  } catch (error) {
    // A link that leads out of the workspace, for example, is never trusted.
    if (error instanceof SettingsError && error.code === 'invalid') return false;
    throw error;
  }
}
