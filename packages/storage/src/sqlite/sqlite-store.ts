import { dirname } from 'node:path';
import type { Json } from '@varve/events';
import { StorageError } from '../contract/error.ts';
import type { Fact, FactQuery } from '../contract/facts.ts';
import type { EventLog } from '../contract/log.ts';
import type { LogReader } from '../contract/log-reader.ts';
import type {
  CountQuery,
  EventStore,
  ListQuery,
  OpenOptions,
  Page,
  RemoveOptions,
  StoreScheme,
  Summary,
} from '../contract/store.ts';
import { checkExpectedMeta, checkOwnerName, checkStoreOpen } from '../kit/checks.ts';
import { checkId } from '../kit/conversation-id.ts';
import { type Holder, thisProcess } from '../kit/holder.ts';
import { jsonText } from '../kit/json.ts';
import { openLogs } from '../kit/open-logs.ts';
import { readerOf } from '../kit/reader.ts';
import { connect, type Connection, truncateWal } from './connection.ts';
import { findFacts } from './facts.ts';
import { type Lease, type LeasedConversation, type LeaseOptions, leases, type Leases } from './lease.ts';
import { logSource } from './source.ts';
import { snapshotCache } from './snapshots.ts';
import { sqliteLog } from './sqlite-log.ts';
import { checkIntact } from './unsealed.ts';
import { type ConversationRow, toConversation } from './statements.ts';
import { countSummaries, listSummaries } from './summaries.ts';
import { toSummary } from '../kit/rows.ts';

/** Options of `sqliteStore`. */
export interface SqliteStoreOptions {
  /** The database file; it and its directory are created if missing. All processes use one name of it. */
  readonly path: string;
  /**
   * `fsync` (default): acknowledged appends survive a power failure. `buffered`: they survive a crash of the process,
   * and a power failure may lose the last of them; faster.
   */
  readonly durability?: 'fsync' | 'buffered';
  /** Milliseconds until a lease expires if it is not renewed; default 30 seconds. Renewed three times as often. */
  readonly leaseMs?: number;
  /** Milliseconds between checks of a tail for appends of other processes, at most 250; default 100. */
  readonly pollMs?: number;
  /** Milliseconds to retry while other processes write; default 10 seconds. */
  readonly busyMs?: number;
  /** UTC milliseconds; default `Date.now`. */
  readonly now?: () => number;
  /** Process that takes the leases; default this process. */
  readonly holder?: Holder;
}

/**
 * Opens a store in one SQLite file, which several processes of one machine may use at the same time.
 *
 * @throws {StorageError} `io`, also for a file with several hard links or one that is mounted without its directory;
 * `full`; `corrupt` for a file that is not a database; `invalid` for a database of another application or of a newer
 * version.
 */
export async function sqliteStore(options: SqliteStoreOptions): Promise<EventStore> {
  const { durability = 'fsync', pollMs = 100, busyMs = 10_000 } = options;
  const { leaseMs = 30_000, now = Date.now, holder = thisProcess() } = options;
  if (options.path === '' || options.path === ':memory:') {
    throw new StorageError('invalid', `${JSON.stringify(options.path)} is not the path of a file.`);
  }
  const connection = await connect({ path: options.path, durability, busyMs, pollMs: Math.min(pollMs, 250) });
  return new SqliteStore(connection, { leaseMs, now, holder });
}

/** Opens `sqlite:PATH` with the defaults. */
export const sqliteScheme: StoreScheme = async (path) => sqliteStore({ path });

/** A store over an open database, which it closes. */
class SqliteStore implements EventStore {
  readonly #connection: Connection;
  readonly #options: LeaseOptions;
  readonly #leases: Leases;
  readonly #logs = openLogs();
  #closed: Promise<void> | undefined;

  constructor(connection: Connection, options: LeaseOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#leases = leases(connection.statements, options);
  }

  async create(id: string, meta: Json, options?: Pick<Summary, 'owner'>): Promise<EventLog> {
    this.#check(id);
    const { statements } = this.#connection;
    const metaText = jsonText('meta', meta);
    const owner = checkOwnerName(options);
    return this.#openLog({ id, purpose: 'append' }, () => {
      if (statements.conversation.get(id)) {
        throw new StorageError('exists', `There is a conversation ${id} already.`);
      }
      const now = this.#options.now();
      const key = Number(statements.insertConversation.get(id, now, now, owner)?.['key']);
      statements.insertMeta.run(key, metaText);
      return this.#leases.take({ key, lease_epoch: 0 });
    });
  }

  async open(id: string, { purpose = 'append', takeOver }: OpenOptions = {}): Promise<EventLog> {
    this.#check(id);
    const { statements } = this.#connection;
    return this.#openLog({ id, purpose }, () => {
      const row = this.#find(id);
      this.#leases.checkFree(row, takeOver);
      if (purpose === 'append') checkIntact(statements, row, this.#options.now());
      return this.#leases.take(row);
    });
  }

  async read(id: string): Promise<LogReader> {
    this.#check(id);
    const connection = this.#connection;
    const { key, lease_epoch, lease_holder } = await connection.read(() => this.#find(id));
    const reading = { id, key, closed: connection.closed };
    const epoch = lease_holder === null ? lease_epoch : undefined;
    return {
      ...readerOf(logSource(connection, reading)),
      snapshots: snapshotCache(connection, { ...reading, epoch, isHeld: false }),
    };
  }

  async list(query: ListQuery = {}): Promise<Page<Summary>> {
    return listSummaries(this.#connection, query);
  }

  async count(query: CountQuery = {}): Promise<number> {
    return countSummaries(this.#connection, query);
  }

  async summary(id: string): Promise<Summary> {
    this.#check(id);
    const row = await this.#connection.read(() => this.#connection.statements.summary.get(id));
    return toSummary(row ?? missing(id));
  }

  directoryOf(id: string): string {
    checkId(id);
    return dirname(this.#connection.path);
  }

  async facts(query: FactQuery): Promise<Page<Fact>> {
    return findFacts(this.#connection, query);
  }

  async remove(id: string, options: RemoveOptions = {}): Promise<void> {
    this.#check(id);
    const key = await this.#connection.write(() => {
      const row = this.#find(id);
      this.#leases.checkFree(row);
      checkExpectedMeta(id, options, () => this.#metaOf(id));
      this.#connection.statements.removeConversation.run(row.key);
      return row.key;
    });
    this.#connection.wake.fire(key);
  }

  #metaOf(id: string): Json {
    const row = this.#connection.statements.summary.get(id);
    return row ? toSummary(row).meta : null;
  }

  async purgeReplacedText(): Promise<void> {
    return truncateWal(this.#connection);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#connection.close(() => this.#logs.close());
    return this.#closed;
  }

  #check(id: string): void {
    checkStoreOpen(this.#connection.closed);
    checkId(id);
  }

  #find(id: string): ConversationRow {
    return toConversation(this.#connection.statements.conversation.get(id) ?? missing(id));
  }

  #openLog(opened: Pick<LeasedConversation, 'id' | 'purpose'>, take: () => Lease): Promise<EventLog> {
    const connection = this.#connection;
    return this.#logs.open(async (onClose) => {
      const lease = await connection.write(take);
      return sqliteLog({ ...this.#options, ...opened, connection, leases: this.#leases, lease, onClose });
    });
  }
}

function missing(id: string): never {
  throw new StorageError('missing', `There is no conversation ${id}.`);
}
