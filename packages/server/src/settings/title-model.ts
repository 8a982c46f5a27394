import { SpecError } from '@varve/events/specs';
import type { LanguageModel } from '@varve/llm';
import { SettingsError } from '@varve/settings';
import { modelOfRecord } from './model-of-record.ts';
import type { ServerSettings } from './server-settings.ts';

/** Returns the model that writes titles; undefined if none is configured, or if it cannot be used. */
export type TitleModel = (profile: string | undefined) => Promise<LanguageModel | undefined>;

/**
 * Returns the models for titles: that of the profile that a conversation names, else the one of the setting
 * `roles.title`.
 */
export function titleModels(settings: ServerSettings | undefined): TitleModel {
  return async (requested) => {
    if (!settings) return undefined;
    try {
      const name = requested ?? (await settings.current()).get('roles.title');
      if (name === undefined) return undefined;
      const { record, key } = await settings.profile(name);
      return modelOfRecord(record, { env: settings.env, key });
    } catch (error) {
      if (error instanceof SettingsError || error instanceof SpecError) return undefined;
      throw error;
    }
  };
}
