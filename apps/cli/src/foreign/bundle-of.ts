import type { ForeignLog } from '@varve/interop';
import { exportBundle } from '@varve/storage/maintenance';
import { readerOf, wakeups } from '@varve/storage/kit';

/** Returns a foreign log as a bundle without seals, for `Conversation.import`. */
export function bundleOf({ entries, title }: ForeignLog, id: string): AsyncIterable<string> {
  const wake = wakeups();
  const log = readerOf({
    id,
    head: async () => entries.length,
    page: async (from, to) => entries.slice(from, Math.min(to, from + 256)),
    seqOf: async (eventId) => entries.find((entry) => entry.id === eventId)?.seq,
    arm: () => wake.arm(id),
    closed: new AbortController().signal,
  });
  const now = Date.now();
  const meta = title === undefined ? {} : { title };
  return exportBundle(log, { id, createdAt: now, updatedAt: now, head: entries.length, meta });
}
