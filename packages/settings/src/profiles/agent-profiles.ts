import { join } from 'node:path';
import type * as z from 'zod';
import { SettingsError } from '../error.ts';
import { withFileLock } from '../files/file-lock.ts';
import type { PlacedValue } from '../layers/layer.ts';
import { settingsPaths } from '../settings-paths.ts';
import { agentProfileRecord, settingsOfAgentProfile, type AgentProfileRecord } from './agent-profile.ts';
import { changePointers } from './pointers.ts';
import { recordFolder, type RecordFolder } from './record-folder.ts';

/** Fields of an agent profile to save; the id and the revision are kept by the store. */
export type NewAgentProfile = Omit<z.input<ReturnType<typeof agentProfileRecord>>, 'id' | 'revision'> & {
  readonly name: string;
};

/** Agent profiles of a data directory. Every change holds the lock of settings. */
export interface AgentProfiles extends Pick<RecordFolder<AgentProfileRecord>, 'list' | 'readable' | 'read'> {
  /** Returns the settings of a profile, a source of `resolveSettings`. @throws {SettingsError} `missing`, `invalid`. */
  settings(name: string): Promise<readonly PlacedValue[]>;
  /** Creates a profile, or replaces it with the next revision. @throws {SettingsError} `invalid`. */
  save(profile: NewAgentProfile): Promise<AgentProfileRecord>;
  /** Renames a profile, and the setting that names it. @throws {SettingsError} `missing`, `invalid`. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a profile, and the setting that names it. Does nothing if it is missing. */
  remove(name: string): Promise<void>;
  /** Makes a profile the one in use. @throws {SettingsError} `missing`, `invalid`. */
  activate(name: string): Promise<void>;
}

/** Opens the agent profiles of varve's data directory. `newId` makes the ids of new profiles, UUIDs. */
export function agentProfiles(home: string, newId: () => string): AgentProfiles {
  const paths = settingsPaths(home);
  const agents = recordFolder(paths.agentProfiles, agentProfileRecord, 'agent profile');
  const locked = <T>(work: () => Promise<T>): Promise<T> => withFileLock(paths.lockFile, work);
  const keys = ['agent_profile'] as const;
  return {
    list: () => agents.list(),
    readable: () => agents.readable(),
    read: (name) => agents.read(name),
    settings: async (name) =>
      settingsOfAgentProfile(await agents.read(name), join(paths.agentProfiles, `${name}.json`)),
    save: (profile) =>
      locked(async () => {
        const before = await agents.find(profile.name);
        const id = before?.id ?? newId();
        const record = checked({ ...profile, id, revision: before ? before.revision + 1 : 0 });
        settingsOfAgentProfile(record, `Agent profile "${record.name}"`);
        await agents.write(record.name, record);
        return record;
      }),
    rename: (from, to) =>
      locked(async () =>
        agents.rename(from, to, {
          change: (record) => ({ ...record, name: to }),
          movePointers: async () => changePointers(home, { keys, from, to }),
        }),
      ),
    remove: (name) =>
      locked(async () => {
        await changePointers(home, { keys, from: name });
        await agents.remove(name);
      }),
    activate: (name) =>
      locked(async () => {
        await agents.read(name);
        await changePointers(home, { keys, to: name });
      }),
  };
}

function checked(record: z.input<ReturnType<typeof agentProfileRecord>>): AgentProfileRecord {
  const { data, error } = agentProfileRecord().safeParse(record);
  if (data) return data;
  const [issue] = error.issues;
  throw new SettingsError('invalid', `Agent profile: ${issue?.path.join('.')}: ${issue?.message}.`);
}
