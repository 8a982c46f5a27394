export { SettingsError, type SettingsErrorCode } from './error.ts';
