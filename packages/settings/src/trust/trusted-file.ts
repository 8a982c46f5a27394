import { realpath } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { SettingsError } from '../error.ts';
import type { SettingsFile } from '../layers/settings-files.ts';
import { readConfiguration } from './configuration.ts';
import { trustStore } from './trust-store.ts';

/**
 * Reports whether exactly this text of a project's settings file is part of a configuration that a person has trusted:
 * the option `isTrusted` of `resolveSettings`. `home` is varve's data directory.
 */
export async function isTrustedFile({ path, text }: SettingsFile, home: string): Promise<boolean> {
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
