import type { SettingKey } from '../definitions/settings.ts';
import { readTextFile, replaceFile } from '../files/text-file.ts';
import { settingsOfText } from '../layers/document.ts';
import { updateOptions, withSetting } from '../layers/edit-settings.ts';
import { userSettingsPath } from '../layers/settings-files.ts';

/** Change of settings that name a profile. */
export interface PointerChange {
  readonly keys: readonly SettingKey[];
  /** Changes only settings with this value; all of them if absent. */
  readonly from?: string;
  /** New value; the settings are removed if absent. */
  readonly to?: string;
}

/**
 * Changes settings of the user's file that name a profile. Requires the lock of settings.
 *
 * @throws {SettingsError} `invalid` if the file is invalid.
 */
export async function changePointers(home: string, { keys, from, to }: PointerChange): Promise<void> {
  const file = { path: await userSettingsPath(home), layer: 'user', lockFile: '' } as const;
  const before = await readTextFile(file.path);
  const set = before === undefined ? [] : settingsOfText(before, file);
  const changed = keys.filter(
    (key) => from === undefined || set.some((pointer) => pointer.key === key && pointer.value === from),
  );
  const text = changed.reduce(
    (edited: string | undefined, key) => withSetting(edited, file, { key, value: to }),
    before,
  );
  if (text !== undefined && text !== before) await replaceFile(file.path, text, updateOptions(file));
}
