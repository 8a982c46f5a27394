import type { BaseEvent, Json } from '@varve/events';
import { forkEndFact, forkFact, importFact, settingsFact, type ConversationSettings } from '@varve/events/facts';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import type { Projection } from '@varve/events/projections';

/** Fork whose creation has not ended. */
export interface UnfinishedFork {
  /** Id of the event that began it. */
  readonly id: string;
  /** Id of the origin. */
  readonly of: string;
  /** Number of events that it copies, after its first one. */
  readonly events: number;
  /** Last event of its branch; absent for the position before every event. */
  readonly leaf?: string;
}

/** Settings of a conversation according to its log. */
export interface LoggedSettings {
  /** Number of events whose settings and policies no longer apply: up to the last fact, import or copied event. */
  readonly head: number;
  /** The last settings that were stored here; none before the first, and none that were imported. */
  readonly settings?: ConversationSettings;
  /** Number of events up to the last import, if there was one. */
  readonly importHead?: number;
  /** Set while the log is that of a fork that is not complete. */
  readonly fork?: UnfinishedFork;
  /** Key of the last fact about settings that cannot be read, so that what it changed is not known. */
  readonly unreadable?: string;
}

/**
 * Folds the settings of a log. An import ends the earlier ones: they were made for another store. A fork has its own
 * from its first event on, and those that it copies do not count.
 */
export const settingsProjection: Projection<LoggedSettings> = {
  name: 'settings',
  version: 3,
  scope: 'log',
  initial: () => ({ head: 0 }),
  apply(logged, event, seq) {
    if (seq === 0) return begunFork(event) ?? nextSettings(logged, event, seq);
    const { fork, ...rest } = logged;
    if (!fork) return nextSettings(logged, event, seq);
    const end = forkEndFact.read(event);
    if (end?.fork === fork.id) return { ...rest, head: seq + 1 };
    if (seq <= fork.events) return logged;
    return !end && isUpdateOf(event, forkEndFact.key)
      ? { ...logged, unreadable: forkEndFact.key }
      : nextSettings(logged, event, seq);
  },
  read: (logged) => logged,
  encode: (logged) => JSON.parse(JSON.stringify(logged)) as Json,
  decode: (state) => state as unknown as LoggedSettings,
};

function begunFork(event: BaseEvent): LoggedSettings | undefined {
  const begun = forkFact.read(event);
  if (!begun) return undefined;
  const { of, events, leaf, settings } = begun;
  return { head: events + 1, settings, fork: { id: event.id, of, events, ...(leaf !== undefined && { leaf }) } };
}

/** Facts that mark where the settings of another log end; settings that are stored later do not replace them. */
const boundaries: ReadonlySet<string> = new Set([importFact.key, forkFact.key, forkEndFact.key]);

/** Reports whether an event is meant as one of some facts, also if it cannot be read as one. */
function isUpdateOf(
  event: BaseEvent,
  ...keys: readonly string[]
): event is ReturnType<typeof ConversationStateUpdateEvent.create> {
  return ConversationStateUpdateEvent.is(event) && keys.includes(event.key);
}

function nextSettings(logged: LoggedSettings, event: BaseEvent, seq: number): LoggedSettings {
  const { fork } = logged;
  if (importFact.read(event)) return { head: seq + 1, importHead: seq + 1, ...(fork && { fork }) };
  const settings = settingsFact.read(event);
  if (!settings) {
    const keys = seq === 0 ? [settingsFact.key, importFact.key, forkFact.key] : [settingsFact.key, importFact.key];
    return isUpdateOf(event, ...keys) ? { ...logged, unreadable: event.key } : logged;
  }
  const { unreadable = '', ...rest } = logged;
  // Settings are stored as a whole, so earlier ones are not missed. A boundary is.
  return { ...rest, head: seq + 1, settings, ...(boundaries.has(unreadable) && { unreadable }) };
}
