import { StorageError } from '../contract/error.ts';
import type { SavedSnapshot } from '../contract/log-proof.ts';
import type { SnapshotCache } from '../contract/snapshots.ts';
import { checkBound, checkLogOpen } from '../kit/checks.ts';
import { jsonText } from '../kit/json.ts';
import type { Connection } from './connection.ts';
import type { ConversationKey } from './events.ts';
import { type Read, readRows } from './read-rows.ts';
import { type Statements, toSnapshot } from './statements.ts';

const keptPerName = 4;

/** Creates the snapshot cache of a conversation; it cannot be read after `closed` aborts. */
export function snapshotCache(
  connection: Connection,
  { id, key, closed }: ConversationKey & { readonly closed: AbortSignal },
): SnapshotCache {
  const { statements } = connection;
  return {
    async latest(name, upTo = Number.MAX_SAFE_INTEGER) {
      checkLogOpen(id, closed);
      const row = await connection.read(() => statements.latestSnapshot.get(key, name, upTo));
      return row && toSnapshot(row);
    },
    async save(name, { seq, state }) {
      try {
        checkBound('seq of a snapshot', seq);
        const text = jsonText('snapshot', state);
        await connection.write(() => {
          if (!statements.logState.get(key)) return; // The conversation was removed.
          statements.saveSnapshot.run(key, name, seq, text);
          statements.deleteOldSnapshots.run(key, name, key, name, keptPerName);
        });
      } catch (error) {
        // A cache may leave out what it cannot save.
        if (!(error instanceof StorageError)) throw error;
      }
    },
  };
}

/** Yields every snapshot, each read by itself. */
export async function* readSnapshots(statements: Statements, key: number, read: Read): AsyncGenerator<SavedSnapshot> {
  const next = (after: number) => statements.snapshotAfter.get(key, after);
  for await (const { name, seq, state } of readRows(next, read)) {
    yield { name: String(name), seq: Number(seq), text: String(state) };
  }
}
