import type { Json } from '@varve/events';
import {
  type EventLog,
  type EventStore,
  type Fact,
  type FactQuery,
  type Holder,
  type ListQuery,
  type LogReader,
  type OpenOptions,
  type Page,
  type RemoveOptions,
  type Replicas,
  StorageError,
  type Summary,
} from '@varve/storage';
import {
  checkExpectedMeta,
  checkId,
  checkOwnerName,
  checkStoreOpen,
  type CountQuery,
  jsonText,
  openLogs,
  readerOf,
  thisProcess,
  toSummary,
} from '@varve/storage/kit';
import { type AppendQueue, appendQueue } from './append-queue.ts';
import { connect, type Connection } from './connection.ts';
import type { Session } from './session.ts';
import { findFacts } from './facts.ts';
import { checkIntact } from './intact.ts';
import { checkFree, checkLeaseMs, existing, type LeaseOptions, takeLease } from './lease.ts';
import { postgresLog } from './postgres-log.ts';
import { type Heartbeat, heartbeat, type Lease } from './heartbeat.ts';
import { replicasOf } from './replicas.ts';
import { type ConversationRow, toConversation } from './rows.ts';
import { logSource } from './source.ts';
import { countSummaries, listSummaries } from './summaries.ts';
import { parseUrl } from './url.ts';

/** Options of `postgresStore`. */
export interface PostgresStoreOptions {
  /** `postgres://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETERS`. No message contains the password. */
  readonly url: string;
  /** Password of a URL without one; default: that of the variable `PGPASSWORD`, else of `~/.pgpass`. */
  readonly password?: string | undefined;
  /** Role that receives the rights to append, from the owner of the tables; it cannot change what is stored. */
  readonly role?: string | undefined;
  /** False to reject a database without tables as `missing`; default: they are created. */
  readonly creates?: boolean;
  /** Milliseconds until a lease expires, 250 to a day; default 15 seconds. It is renewed three times as often. */
  readonly leaseMs?: number;
  /** Milliseconds between checks of a tail for appends of other processes, at most 250; default 100. */
  readonly pollMs?: number;
  /** Time of signed statements, in UTC milliseconds; default `Date.now`. Everything else uses the database's clock. */
  readonly now?: () => number;
  /** Process that takes the leases; default this process. */
  readonly holder?: Holder;
}

/**
 * Opens a store in a PostgreSQL database, which processes of several machines may use at the same time. Creates its
 * tables if they are missing.
 *
 * @throws {StorageError} `invalid` for a malformed URL, a `leaseMs` out of its range, a database that cannot keep what
 * it acknowledges, or tables of another application or of a newer version; `io`.
 */
export async function postgresStore(options: PostgresStoreOptions): Promise<EventStore> {
  const { creates = true, role, leaseMs = 15_000, pollMs = 100, now = Date.now, holder = thisProcess() } = options;
  checkLeaseMs(leaseMs);
  const target = parseUrl(options.url);
  const password = target.password ?? options.password;
  const connection = await connect({ target: { ...target, password }, pollMs: Math.min(pollMs, 250), creates, role });
  return new PostgresStore(connection, { leaseMs, now, holder });
}

/** Opens `postgres:…` if it has tables. @throws {StorageError} `missing`, and as {@link postgresStore}. */
export async function existingPostgresScheme(rest: string, options: SchemeOptions = {}): Promise<EventStore> {
  return postgresStore({ ...options, url: `postgres:${rest}`, creates: false });
}

/** Opens `postgres:…`, by default with the defaults of {@link postgresStore}. */
export async function postgresScheme(rest: string, options: SchemeOptions = {}): Promise<EventStore> {
  return postgresStore({ ...options, url: `postgres:${rest}` });
}

type SchemeOptions = Omit<PostgresStoreOptions, 'url'>;

interface StoreOptions extends LeaseOptions {
  readonly leaseMs: number;
  readonly now: () => number;
}

const mostWaiting = 10_000;

/** A store over an open connection, which it closes. */
class PostgresStore implements EventStore {
  readonly replicas: Replicas;
  readonly #connection: Connection;
  readonly #appends: AppendQueue;
  readonly #heartbeat: Heartbeat;
  readonly #options: StoreOptions;
  readonly #logs = openLogs();
  readonly #waiting = new Map<string, number>();
  #address: string | undefined;
  #closed: Promise<void> | undefined;

  constructor(connection: Connection, options: StoreOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#appends = appendQueue(connection);
    this.#heartbeat = heartbeat(connection, options.leaseMs, options.holder);
    const announce = (address: string): void => void (this.#address = address);
    this.replicas = replicasOf(connection, { holder: options.holder, waiting: this.#waiting, announce });
  }

  async create(id: string, meta: Json, options?: Pick<Summary, 'owner'>): Promise<EventLog> {
    this.#check(id);
    const { sql } = this.#connection;
    const metaText = jsonText('meta', meta);
    const owner = checkOwnerName(options);
    return this.#openLog({ id, purpose: 'append' }, async (session) => {
      const [row] = await session.query(sql.insertConversation, [id, owner]);
      if (!row) throw new StorageError('exists', `There is a conversation ${id} already.`);
      const key = Number(row['key']);
      await session.query(sql.insertMeta, [key, metaText]);
      return this.#take(session, key);
    });
  }

  async open(id: string, { purpose = 'append', takeOver }: OpenOptions = {}): Promise<EventLog> {
    this.#check(id);
    const { sql } = this.#connection;
    return this.#openLog({ id, purpose }, async (session) => {
      const row = toConversation(existing(id, await session.query(sql.lockConversation, [id])));
      checkFree(row, this.#options.holder, takeOver);
      if (purpose === 'append') await checkIntact(session, this.#connection, row);
      this.#noteWaiting(row);
      return this.#take(session, row.key);
    });
  }

  async read(id: string): Promise<LogReader> {
    this.#check(id);
    const rows = await this.#connection.read(this.#connection.sql.conversation, [id]);
    const { key } = toConversation(existing(id, rows));
    return readerOf(logSource(this.#connection, { id, key, closed: this.#connection.closed }));
  }

  async list(query: ListQuery = {}): Promise<Page<Summary>> {
    return listSummaries(this.#connection, query);
  }

  async count(query: CountQuery = {}): Promise<number> {
    return countSummaries(this.#connection, query);
  }

  async summary(id: string): Promise<Summary> {
    this.#check(id);
    return toSummary(existing(id, await this.#connection.read(this.#connection.sql.summary, [id])));
  }

  async facts(query: FactQuery): Promise<Page<Fact>> {
    return findFacts(this.#connection, query);
  }

  async remove(id: string, options: RemoveOptions = {}): Promise<void> {
    this.#check(id);
    const { sql } = this.#connection;
    const key = await this.#connection.transaction(async (session) => {
      const row = toConversation(existing(id, await session.query(sql.lockConversation, [id])));
      checkFree(row, this.#options.holder);
      const [summary] = await session.query(sql.summary, [id]);
      checkExpectedMeta(id, options, () => (summary ? toSummary(summary).meta : null));
      await session.query(sql.removeConversation, [row.key]);
      return row.key;
    });
    this.#connection.wake.fire(key);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#connection.close(async () => {
      await this.#logs.close();
      await this.#heartbeat.end();
    });
    return this.#closed;
  }

  #check(id: string): void {
    checkStoreOpen(this.#connection.closed);
    checkId(id);
  }

  /** Notes since when a run waits: one for which there is still no room keeps its place. */
  #noteWaiting({ id, lease_host: host, lease_until: until }: ConversationRow): void {
    this.#waiting.delete(id);
    if (host === '' && until !== null) this.#waiting.set(id, until);
    const [first = ''] = this.#waiting.keys();
    if (this.#waiting.size > mostWaiting) this.#waiting.delete(first);
  }

  async #take(session: Session, key: number): Promise<Lease> {
    const { name } = this.#heartbeat;
    return takeLease(session, this.#connection, { ...this.#options, address: this.#address, name, key });
  }

  #openLog(opened: Opening, take: (session: Session) => Promise<Lease>): Promise<EventLog> {
    const connection = this.#connection;
    return this.#logs.open(async (onClose) => {
      const release = this.#heartbeat.hold(opened.id);
      try {
        await this.#heartbeat.begin();
        const lease = await connection.transaction(take);
        const shared = { connection, appends: this.#appends };
        const closed = (isReleased: boolean): void => (release(isReleased), onClose());
        return postgresLog({ ...this.#options, ...opened, ...shared, lease, onClose: closed });
      } catch (error) {
        // The reply to a commit may be lost.
        release(!(error instanceof StorageError && error.code === 'io'));
        throw error;
      }
    });
  }
}

/** A log to open. */
interface Opening extends Required<Pick<OpenOptions, 'purpose'>> {
  readonly id: string;
}
