import { realpath } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { SettingsError } from '../error.ts';
import type { SettingsFile } from '../layers/settings-files.ts';
import { trustStore } from './trust-store.ts';
import { trustSubject, type TrustDirectories } from './trust-subject.ts';

/**
 * Reports whether exactly this text of a project's settings file is part of a configuration that a person has trusted:
 * the option `isTrusted` of `resolveSettings`.
 */
export async function isTrustedFile({ path, text }: SettingsFile, directories: TrustDirectories): Promise<boolean> {
  try {
    const { configuration, digests } = await trustSubject(dirname(dirname(path)), directories);
    const bytes = configuration.read(relative(configuration.workspace, await realpath(path)));
    const isSame = bytes !== undefined && Buffer.from(text).equals(bytes);
    return isSame && (await trustStore(directories).status(configuration, digests)) === 'trusted';
  } catch (error) {
    // A link that leads out of the workspace, for example, is never trusted.
    if (error instanceof SettingsError && (error.code === 'invalid' || error.code === 'untrusted')) return false;
    throw error;
  }
}
