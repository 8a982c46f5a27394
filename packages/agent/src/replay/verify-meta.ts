import { eventCodec, type Json } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import type { LogReader } from '@varve/storage';
import { settingsProjection, type LoggedSettings } from '../log/projections/settings-projection.ts';
import { metaDifferences, type MetaDifference } from '../log/settings.ts';

/**
 * Compares the settings in the `meta` of a conversation with those in its log, and returns the ones that differ. They
 * have no effect: opening the conversation uses those in the log. A `meta` that contains fewer settings does not
 * differ, nor does one next to a log without settings, such as the reference writes.
 */
export async function verifyMeta(log: LogReader, meta: Json): Promise<readonly MetaDifference[]> {
  const codec = eventCodec(builtinKinds);
  let logged: LoggedSettings = settingsProjection.initial();
  for await (const { seq, kind, text } of log.range(0)) {
    if (kind === 'ConversationStateUpdateEvent') logged = settingsProjection.apply(logged, codec.read(text), seq);
  }
  return metaDifferences(logged, meta);
}
