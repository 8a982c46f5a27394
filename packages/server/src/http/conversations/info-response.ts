import type { Summary } from '@varve/storage';
import type { ConversationInfo } from '../../reference/info/conversation-info.ts';
import { type InfoOptions, readInfo } from '../../reference/info/info-of.ts';
import type { Services } from '../services.ts';
import { unlessMissing } from '@varve/storage/kit';

/** Returns the info of a conversation; undefined for an unknown id. */
export async function infoById(
  id: string,
  services: Services,
  options: InfoOptions,
): Promise<ConversationInfo | undefined> {
  const summary = await unlessMissing(services.store.summary(id));
  return summary && infoOf(summary, services, options);
}

/** Returns the info of a listed conversation; undefined if it was removed concurrently. */
export async function infoOf(
  summary: Summary,
  services: Services,
  options: InfoOptions,
): Promise<ConversationInfo | undefined> {
  return unlessMissing(readInfo(summary, services, options));
}
