import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { errnoOf, makeDirectories, writeAtomically } from '@varve/files';
import { settingsPaths, withFileLock } from '@varve/settings';
import type { Replicas } from '@varve/storage';
import * as z from 'zod';
import { taskQueue } from '@varve/host/kit';

/**
 * Settings, profiles and encrypted secrets of replicas, as one record of their store. The files in the data directory
 * of a replica are a copy.
 */
export interface SharedSettings {
  /** Makes the files those that were shared last. */
  pull(): Promise<void>;
  /**
   * Shares the files after `change` has changed some. Returns false if that took too long and another replica did the
   * same in the meantime: its files replace the changed ones.
   */
  change(change: () => Promise<unknown>): Promise<boolean>;
}

/** Options of {@link sharedSettings}. */
export interface SharedSettingsOptions {
  /** Data directory. */
  readonly home: string;
  readonly records: Replicas['records'];
}

const recordName = 'settings';

/** Files that are shared, relative to the data directory. */
const sharedFile = /^(?:config\.\w+|secrets\.json|workspaces\.json|(?:agent-)?profiles\/[^/\\]+\.json)$/;
const directories = ['', 'profiles', 'agent-profiles'];

type Files = Readonly<Record<string, string>>;

function parsed(text: string): Files {
  return z.record(z.string().regex(sharedFile), z.string()).parse(JSON.parse(text));
}

/** Shares the settings in a data directory through the records of a store. */
export function sharedSettings({ home, records }: SharedSettingsOptions): SharedSettings {
  const { lockFile } = settingsPaths(home);
  const inOrder = taskQueue();
  let version = 0;
  let shared: Files = {};
  const pull = async (): Promise<void> => {
    if ((await records.versionOf(recordName)) === version) return;
    const record = await records.read(recordName);
    if (record.text === undefined) return;
    shared = parsed(record.text);
    await withFileLock(lockFile, () => replaceFiles(home, shared));
    ({ version } = record);
  };
  const push = async (): Promise<boolean> => {
    const changed = await readFiles(home);
    if (isDeepStrictEqual(changed, shared)) return true;
    if (await records.write(recordName, JSON.stringify(changed), version)) {
      shared = changed;
      version += 1;
      return true;
    }
    version = 0;
    await pull();
    return false;
  };
  return {
    pull: () => inOrder(pull),
    change: (change) =>
      inOrder(() =>
        records.exclusively(recordName, async () => {
          await pull();
          await change();
          return push();
        }),
      ),
  };
}

async function readFiles(home: string): Promise<Files> {
  const names = (await Promise.all(directories.map((directory) => namesIn(home, directory)))).flat();
  const found = names.filter((name) => sharedFile.test(name)).toSorted();
  return Object.fromEntries(
    await Promise.all(found.map(async (name) => [name, await readFile(join(home, name), 'utf8')])),
  );
}

async function namesIn(home: string, directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(join(home, directory))).map((name) => join(directory, name));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

async function replaceFiles(home: string, wanted: Files): Promise<void> {
  const current = await readFiles(home);
  for (const name of Object.keys(current))
    if (!Object.hasOwn(wanted, name)) await rm(join(home, name), { force: true });
  for (const [name, text] of Object.entries(wanted)) {
    if (current[name] === text) continue;
    const path = join(home, name);
    makeDirectories(dirname(path), 0o700);
    await writeAtomically(path, text, { mode: 0o600 });
  }
}
