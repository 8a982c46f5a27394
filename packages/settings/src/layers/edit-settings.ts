import { applyEdits, findNodeAtLocation, modify, parseTree } from 'jsonc-parser';
import type { SettingKey } from '../definitions/settings.ts';
import { readTextFile } from '../files/text-file.ts';
import { updateFile, type UpdateOptions } from '../files/update-file.ts';
import { settingsOfText } from './document.ts';
import type { PlacedValue } from './layer.ts';
import { checkedValue } from './parse-value.ts';

/** A file of settings to change. */
export interface EditedFile {
  readonly path: string;
  readonly layer: 'user' | 'project';
  /** Lock of all writers of settings. */
  readonly lockFile: string;
}

const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' };

/** Address of the JSON Schema, which new files contain for editors. */
const schemaUrl = 'https://raw.githubusercontent.com/varve-dev/varve/main/packages/settings/settings.schema.json';

const newText = `${JSON.stringify({ $schema: schemaUrl }, undefined, 2)}\n`;

/**
 * Returns the text of a settings file with a value set, or removed if the value is undefined. Comments and layout are
 * preserved.
 *
 * @throws {SettingsError} `invalid` for a wrong value, or a text that is invalid before.
 */
export function withSetting(
  text: string | undefined,
  file: Pick<EditedFile, 'path' | 'layer'>,
  { key, value }: Pick<PlacedValue, 'key' | 'value'>,
): string {
  if (value !== undefined) checkedValue(key, value, key);
  if (text !== undefined) settingsOfText(text, file);
  const before = text ?? newText;
  const path = key.split('.');
  const tree = parseTree(before);
  // The library refuses to remove what is missing.
  if (value === undefined && !(tree && findNodeAtLocation(tree, path))) return before;
  const edited = applyEdits(before, modify(before, path, value, { formattingOptions }));
  return edited.endsWith('\n') ? edited : `${edited}\n`;
}

/**
 * Sets a value in a settings file, or removes it if the value is undefined. A missing file is created.
 *
 * @throws {SettingsError} as {@link withSetting}; then nothing is written.
 */
export async function editSetting(file: EditedFile, key: SettingKey, value: unknown): Promise<void> {
  await updateFile(file.path, (text) => withSetting(text, file, { key, value }), updateOptions(file));
}

/** Values by setting; undefined removes one. */
export type SettingValues = Readonly<Partial<Record<SettingKey, unknown>>>;

/**
 * Sets several values in one write, or removes those that are undefined. A missing file is created. Values that depend
 * on the present ones are computed by a function, which receives the settings of the file while no other writer can
 * change them.
 *
 * @throws {SettingsError} as {@link withSetting}; what the function throws. Then nothing is written.
 */
export async function editSettings(
  file: EditedFile,
  values: SettingValues | ((present: SettingValues) => SettingValues | Promise<SettingValues>),
): Promise<void> {
  const edit = async (text: string | undefined): Promise<string> => {
    const present = text === undefined ? [] : settingsOfText(text, file);
    const presentValues = Object.fromEntries(present.map(({ key, value }) => [key, value]));
    const next = typeof values === 'function' ? await values(presentValues) : values;
    return Object.entries(next).reduce(
      (edited, [key, value]) => withSetting(edited, file, { key: key as SettingKey, value }),
      text ?? newText,
    );
  };
  await updateFile(file.path, edit, updateOptions(file));
}

/**
 * Replaces the text of a settings file by the result of `change`, which receives the current text, or that of a new
 * file. The current text may be invalid: a person may be about to repair it.
 *
 * @throws {SettingsError} `invalid` if the new text is invalid; then nothing is written.
 */
export async function replaceSettings(file: EditedFile, change: (text: string) => string): Promise<void> {
  const edit = (before: string | undefined): string => {
    const after = change(before ?? newText);
    settingsOfText(after, file);
    return after;
  };
  await updateFile(file.path, edit, updateOptions(file));
}

/** Returns the text of a settings file, or that of a new file. @throws {SettingsError} as `readTextFile`. */
export async function readSettingsText(file: EditedFile): Promise<string> {
  return (await readTextFile(file.path, updateOptions(file))) ?? newText;
}

/** Options with which a settings file is written: one of a project is shared, and never through a link. */
export function updateOptions({ layer, lockFile }: Pick<EditedFile, 'layer' | 'lockFile'>): UpdateOptions {
  return layer === 'project'
    ? { lockFile, mode: 0o644, symlinks: 'refuse' }
    : { lockFile, mode: 0o600, symlinks: 'follow' };
}
