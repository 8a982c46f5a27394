import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { Json } from '@varve/events';
import { parseJson } from '@varve/text';
import { StorageError } from '../contract/error.ts';
import type { SavedSnapshot } from '../contract/log-proof.ts';
import type { SnapshotCache } from '../contract/snapshots.ts';
import { checkBound, checkLogOpen } from '../kit/checks.ts';
import { jsonText } from '../kit/json.ts';
import { keptPerName } from '../kit/snapshots.ts';
import type { Connection } from './connection.ts';
import type { ConversationKey } from './events.ts';
import { type Read, readRows } from './read-rows.ts';
import { type Statements, toSnapshot } from './statements.ts';

/** Longest text of a snapshot in bytes: damaged text may inflate to a thousand times its size. */
const mostBytes = 128 * 1024 * 1024;
/** Bytes that are inflated at a time: with the usual 16 kB, a text of 3 MB took twice the time. */
const chunkSize = 1024 * 1024;
const [deflate, inflate] = [promisify(deflateRaw), promisify(inflateRaw)];

/**
 * Compresses the text of a snapshot: it repeats most of the log, and takes a tenth of its space then. The column
 * contains text, and a JSON object never starts like base64.
 */
async function packed(text: string): Promise<string> {
  // Level 1 takes a third of the time of the usual level, and a fifth more space.
  return (await deflate(text, { level: 1 })).toString('base64');
}

/** Returns the text of a snapshot; older versions stored it as it is. Damaged or long text is returned unchanged. */
async function unpacked(column: string): Promise<string> {
  if (column.startsWith('{')) return column;
  try {
    return (await inflate(Buffer.from(column, 'base64'), { maxOutputLength: mostBytes, chunkSize })).toString();
  } catch {
    return column;
  }
}

/** A conversation and the lease with which its snapshots are saved; they cannot be read after `closed` aborts. */
interface SnapshotOptions extends ConversationKey {
  readonly closed: AbortSignal;
  /** Number of the last lease; nothing is saved without it, nor after another one was taken. */
  readonly epoch: number | undefined;
  /** True for the holder of the lease, false for a reader, who saves only while the lease is free. */
  readonly isHeld: boolean;
}

/** Creates the snapshot cache of a conversation. */
export function snapshotCache(connection: Connection, options: SnapshotOptions): SnapshotCache {
  const { id, key, closed, epoch = -1, isHeld } = options;
  const { statements } = connection;
  return {
    async latest(name, upTo = Number.MAX_SAFE_INTEGER) {
      checkLogOpen(id, closed);
      const row = await connection.read(() => statements.latestSnapshot.get(key, name, upTo));
      if (!row) return undefined;
      const { seq, state } = toSnapshot(row);
      const parsed = parseJson(await unpacked(state)) as Json | undefined;
      return parsed === undefined ? undefined : { seq, state: parsed };
    },
    async save(name, { seq, state }) {
      try {
        checkBound('seq of a snapshot', seq);
        const json = jsonText('snapshot', state);
        if (Buffer.byteLength(json) > mostBytes) return;
        const text = await packed(json);
        await connection.write(() => {
          statements.saveSnapshot.run(name, seq, text, key, epoch, Number(isHeld));
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
  for await (const row of readRows(next, read)) {
    const { seq, state } = toSnapshot(row);
    yield { name: String(row['name']), seq, text: await unpacked(state) };
  }
}
