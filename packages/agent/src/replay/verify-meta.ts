import { eventCodec, type Json } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import type { LogReader } from '@varve/storage';
import { settingsProjection, type LoggedSettings } from '../log/projections/settings-projection.ts';
import { metaDifferences, storedSettings, type MetaDifference, type StoredSettings } from '../log/settings.ts';

/**
 * Compares the settings in the `meta` of a conversation with those in its log, and returns the ones that differ. They
 * have no effect: opening the conversation uses those in the log. A `meta` that contains fewer settings does not
 * differ, nor does one next to a log without settings, such as the reference writes.
 */
export async function verifyMeta(log: LogReader, meta: Json): Promise<readonly MetaDifference[]> {
  return metaDifferences(await loggedSettings(log), meta);
}

/**
 * Returns the settings that a conversation was last used with, as opening it does: those in its log, and those in its
 * `meta` only next to a log without settings that was not imported. Needs no lease.
 */
export async function readSettings(log: LogReader, meta: Json): Promise<StoredSettings> {
  return storedSettings(await loggedSettings(log), meta);
}

async function loggedSettings(log: LogReader): Promise<LoggedSettings> {
  const codec = eventCodec(builtinKinds);
  let logged: LoggedSettings = settingsProjection.initial();
  for await (const { seq, kind, text } of log.range(0)) {
    if (kind === 'ConversationStateUpdateEvent') logged = settingsProjection.apply(logged, codec.read(text), seq);
  }
  return logged;
}
