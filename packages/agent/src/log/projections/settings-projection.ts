import type { Json } from '@varve/events';
import { importFact, settingsFact, type Settings } from '@varve/events/facts';
import type { Projection } from '@varve/events/projections';

/** Settings of a conversation according to its log. */
export interface LoggedSettings {
  /** Number of events whose settings and policies no longer apply: those up to the last fact or import. */
  readonly head: number;
  /** The last settings that were stored here; none before the first, and none that were imported. */
  readonly settings?: Settings;
  /** Number of events up to the last import, if there was one. */
  readonly importHead?: number;
}

/** Folds the settings of a log. An import ends the earlier ones: they were made for another store. */
export const settingsProjection: Projection<LoggedSettings> = {
  name: 'settings',
  version: 1,
  scope: 'log',
  initial: () => ({ head: 0 }),
  apply(logged, event, seq) {
    if (importFact.read(event)) return { head: seq + 1, importHead: seq + 1 };
    const settings = settingsFact.read(event);
    return settings ? { ...logged, head: seq + 1, settings } : logged;
  },
  read: (logged) => logged,
  encode: (logged) => JSON.parse(JSON.stringify(logged)) as Json,
  decode: (state) => state as unknown as LoggedSettings,
};
