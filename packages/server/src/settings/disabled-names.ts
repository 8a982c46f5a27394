import type { SettingKey } from '@varve/settings';
import * as z from 'zod';
import { lazy } from '@varve/events';
import type { ServerSettings } from './server-settings.ts';

const names = lazy(() => z.array(z.string()));

/** Settings that are lists of names. */
export interface DisabledNames {
  /** Returns the names in effect. */
  read(key: SettingKey): Promise<readonly string[]>;
  /** Changes the names in the user's file; an empty list removes the setting. No concurrent change is lost. */
  change(key: SettingKey, change: (names: readonly string[]) => readonly string[]): Promise<void>;
}

/** Opens lists of names; all are empty without settings. */
export function disabledNames(settings: ServerSettings | undefined): DisabledNames {
  return {
    read: async (key) => names().safeParse((await settings?.current())?.get(key)).data ?? [],
    async change(key, change) {
      await settings?.set((present) => {
        const after = change(names().safeParse(present[key]).data ?? []);
        return { [key]: after.length === 0 ? undefined : after };
      });
    },
  };
}
