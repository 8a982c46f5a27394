import type { Json } from '@varve/events';
import { type SnapshotCache, StorageError } from '@varve/storage';
import { checkBound, checkLogOpen, isStorable, jsonText } from '@varve/storage/kit';
import { parseJson } from '@varve/text';
import type { LeasedConversation } from './lease.ts';

const keptPerName = 2;

/** Creates the snapshot cache of a conversation; it cannot be read after `closed` aborts. */
export function snapshotCache({ id, connection, lease }: LeasedConversation, closed: AbortSignal): SnapshotCache {
  const { key, epoch } = lease;
  const { sql } = connection;
  return {
    async latest(name, upTo = Number.MAX_SAFE_INTEGER) {
      checkLogOpen(id, closed);
      const [row] = isStorable(name) ? await connection.read(sql.latestSnapshot, [key, name, upTo]) : [];
      const state = row && (parseJson(String(row['state'])) as Json | undefined);
      return state === undefined ? undefined : { seq: Number(row?.['seq']), state };
    },
    async save(name, { seq, state }) {
      try {
        checkBound('seq of a snapshot', seq);
        const text = jsonText('snapshot', state);
        if (!isStorable(name)) return;
        await connection.write(sql.saveSnapshot, [key, epoch, name, seq, text, keptPerName]);
      } catch (error) {
        // A cache may leave out what it cannot save.
        if (!(error instanceof StorageError)) throw error;
      }
    },
  };
}
