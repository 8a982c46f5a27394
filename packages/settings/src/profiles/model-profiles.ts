import type { LlmValues } from '../definitions/llm-fields.ts';
import { settingKeys } from '../definitions/settings.ts';
import { SettingsError } from '../error.ts';
import { withFileLock } from '../files/file-lock.ts';
import { settingsPaths } from '../settings-paths.ts';
import { agentProfileRecord, type AgentProfileRecord } from './agent-profile.ts';
import { llmValuesOf, modelProfileOf, modelProfileRecord, type ModelProfileRecord } from './model-profile.ts';
import { changePointers } from './pointers.ts';
import { recordFolder, type RecordFolder } from './record-folder.ts';

/** Use of a model. */
export type ModelRole = 'agent' | 'condenser' | 'title' | 'ask' | 'subagent';

/** Model profiles of a data directory. Every change holds the lock of settings. */
export interface ModelProfiles extends Pick<RecordFolder<ModelProfileRecord>, 'list' | 'readable' | 'read'> {
  /** Creates a profile, or replaces its values and keeps fields that only the reference uses. */
  save(name: string, values: LlmValues): Promise<void>;
  /**
   * Creates or replaces a profile with a record of a client, also with fields that only the reference uses. Keys in it
   * are not stored.
   *
   * @throws {SettingsError} `invalid`.
   */
  replace(name: string, record: ModelProfileRecord): Promise<void>;
  /** Renames a profile, also where roles and agent profiles name it. @throws {SettingsError} `missing`, `invalid`. */
  rename(from: string, to: string): Promise<void>;
  /**
   * Removes a profile, and the roles that name it. Does nothing if it is missing.
   *
   * @throws {SettingsError} `invalid` while an agent profile names it.
   */
  remove(name: string): Promise<void>;
  /** Makes a profile that of a role. @throws {SettingsError} `missing`, `invalid`. */
  activate(name: string, role?: ModelRole): Promise<void>;
}

const roleKeys = settingKeys.filter((key) => key.startsWith('roles.'));

/** Opens the model profiles of varve's data directory. Nothing is created before the first change. */
export function modelProfiles(home: string): ModelProfiles {
  const { lockFile, profiles, agentProfiles } = settingsPaths(home);
  const models = recordFolder(profiles, modelProfileRecord, 'model profile');
  const agents = recordFolder(agentProfiles, agentProfileRecord, 'agent profile');
  const locked = (work: () => Promise<void>): Promise<void> => withFileLock(lockFile, work);
  const users = async (name: string): Promise<readonly AgentProfileRecord[]> =>
    (await agents.readable()).flatMap(({ record }) => (record.llm_profile_ref === name ? [record] : []));
  return {
    list: () => models.list(),
    readable: () => models.readable(),
    read: (name) => models.read(name),
    save: (name, values) =>
      locked(async () => models.write(name, modelProfileOf(values, name, await models.find(name)))),
    replace: (name, record) =>
      locked(async () => models.write(name, modelProfileOf(llmValuesOf(record, name), name, record))),
    rename: (from, to) =>
      locked(async () =>
        models.rename(from, to, {
          async movePointers() {
            for (const user of await users(from)) await agents.write(user.name, { ...user, llm_profile_ref: to });
            await changePointers(home, { keys: roleKeys, from, to });
          },
        }),
      ),
    remove: (name) =>
      locked(async () => {
        const [user] = await users(name);
        if (user) throw new SettingsError('invalid', `The agent profile "${user.name}" uses the profile "${name}".`);
        await changePointers(home, { keys: roleKeys, from: name });
        await models.remove(name);
      }),
    activate: (name, role = 'agent') =>
      locked(async () => {
        llmValuesOf(await models.read(name), name);
        await changePointers(home, { keys: [`roles.${role}`], to: name });
      }),
  };
}
