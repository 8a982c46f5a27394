export { llmFields, type LlmField, type LlmValues } from './definitions/llm-fields.ts';
export { settingsJsonSchema } from './definitions/json-schema.ts';
export { definitionOf, isSettingKey, settingKeys, type SettingKey, type SettingValue } from './definitions/settings.ts';
export { withFileLock } from './files/file-lock.ts';
export { unknownKey, unknownLlmField } from './layers/document.ts';
export {
  editSetting,
  editSettings,
  readSettingsText,
  replaceSettings,
  type EditedFile,
  type SettingValues,
} from './layers/edit-settings.ts';
export type { PlacedValue } from './layers/layer.ts';
export { describeOrigin } from './layers/origin.ts';
export { valueOfText } from './layers/parse-value.ts';
export { resolveSettings, type FlagValue, type SettingEntry, type Settings } from './layers/resolve-settings.ts';
export { projectSettingsPath, userSettingsPath, type SettingsFile } from './layers/settings-files.ts';
export { SettingsError, type SettingsErrorCode } from './error.ts';
export { settingsPaths } from './settings-paths.ts';
