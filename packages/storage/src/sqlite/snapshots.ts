import { StorageError } from '../contract/error.ts';
import type { SnapshotCache } from '../contract/snapshots.ts';
import { checkBound } from '../kit/checks.ts';
import { jsonText } from '../kit/json.ts';
import type { Connection } from './connection.ts';
import type { SqliteSourceOptions } from './source.ts';
import { toSnapshot } from './statements.ts';

const keptPerName = 4;

/** The snapshots of one conversation; they are not read after `closed` aborts. */
export function sqliteSnapshots(connection: Connection, { id, key, closed }: SqliteSourceOptions): SnapshotCache {
  const { statements } = connection;
  return {
    async latest(name, upTo = Number.MAX_SAFE_INTEGER) {
      if (closed.aborted) throw new StorageError('closed', `The log of conversation ${id} is closed.`);
      const row = await connection.read(() => statements.latestSnapshot.get(key, name, upTo));
      return row && toSnapshot(row);
    },
    async save(name, { seq, state }) {
      try {
        checkBound('seq of a snapshot', seq);
        const text = jsonText('snapshot', state);
        await connection.write(() => {
          if (!statements.state.get(key)) return; // Removed meanwhile.
          statements.saveSnapshot.run(key, name, seq, text);
          statements.deleteOldSnapshots.run(key, name, key, name, keptPerName);
        });
      } catch (error) {
        // A cache: what cannot be saved is not there.
        if (!(error instanceof StorageError)) throw error;
      }
    },
  };
}
