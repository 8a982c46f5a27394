import { type Holder, type Replicas, StorageError } from '@varve/storage';
import { checkId, isDead } from '@varve/storage/kit';
import type { Connection } from './connection.ts';
import type { Row } from './session.ts';
import { checkFree } from './lease.ts';
import { type ConversationRow, toConversation } from './rows.ts';

/** Options of {@link replicasOf}. */
export interface ReplicasOptions extends Pick<Replicas, 'announce'> {
  readonly holder: Holder;
  /** Times since which the runs of conversations waited that this store has opened, by ids. */
  readonly waiting: ReadonlyMap<string, number>;
}

/** Returns what the processes of a store share in addition to the conversations. */
export function replicasOf(connection: Connection, { holder, waiting, announce }: ReplicasOptions): Replicas {
  const { sql, lease, transaction } = connection;
  return {
    announce,
    async addressOf(id) {
      checkId(id);
      const [row] = await lease(sql.conversation, [id]);
      const conversation = row && toConversation(row);
      return conversation && isHeld(conversation, holder) ? (conversation.lease_address ?? undefined) : undefined;
    },
    async abandon(id, { hasRun = false } = {}) {
      checkId(id);
      await lease(sql.abandon, [id, hasRun ? null : waiting.get(id)]);
    },
    async abandonRunning() {
      await connection.write(sql.abandonRunning, []);
    },
    async abandoned() {
      const holders = (await lease(sql.holders, [])).map(toProcess);
      // Leases of a process without a row have an end of their own.
      const ended = holders.filter((each) => each.until === null || !isAlive(each, holder));
      const rows = await lease(sql.endedLeases, [ended.map(({ name }) => name)]);
      return rows
        .map(toConversation)
        .filter((row) => !isHeld(row, holder))
        .map(({ id }) => id)
        .slice(0, 1000);
    },
    async release(id) {
      checkId(id);
      await transaction(async (session) => {
        const [row] = await session.query(sql.lockConversation, [id]);
        const conversation = row && toConversation(row);
        if (conversation && !isHeld(conversation, holder)) await session.query(sql.endLease, [conversation.key]);
      });
    },
    records: sharedRecords(connection),
  };
}

/** Returns the records of the processes of a store. */
function sharedRecords({ sql, read, write, transaction }: Connection): Replicas['records'] {
  return {
    async read(name) {
      const [row] = await read(sql.record, [name]);
      return row ? { text: String(row['text']), version: Number(row['version']) } : { text: undefined, version: 0 };
    },
    async versionOf(name) {
      const [row] = await read(sql.recordVersion, [name]);
      return Number(row?.['version'] ?? 0);
    },
    names: async (from, before) => (await read(sql.recordNames, [from, before])).map(({ name }) => String(name)),
    async write(name, text, expectedVersion) {
      return (await write(sql.writeRecord, [name, text, expectedVersion ?? null])).length > 0;
    },
    async exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
      let done: { readonly result: T } | undefined;
      try {
        await transaction(async (session) => {
          await session.query(sql.lockRecord, [name]);
          done ??= { result: await work() };
        });
      } catch (error) {
        // The work has its own statements: that the lock ended before them is no failure of it.
        if (!done) throw error;
      }
      if (!done) throw new StorageError('io', `The record ${name} cannot be locked.`);
      return done.result;
    },
    async remove(name) {
      await write(sql.removeRecord, [name]);
    },
  };
}

/** A name in leases, and the row of its process if it has one. */
interface ProcessRow extends Holder {
  readonly name: string;
  readonly until: number | null;
  readonly now: number;
}

function toProcess(row: Row): ProcessRow {
  return row as unknown as ProcessRow;
}

function isAlive({ host, pid, boot, until, now }: ProcessRow, self: Holder): boolean {
  return until !== null && until > now && !isDead({ host, pid, boot }, self);
}

/** Returns true if a live process has the lease of a conversation. */
function isHeld(row: ConversationRow, holder: Holder): boolean {
  try {
    checkFree(row, holder);
    return false;
  } catch (error) {
    if (error instanceof StorageError && error.code === 'held') return true;
    throw error;
  }
}
