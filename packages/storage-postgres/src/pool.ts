import { type Connection, Pool as Clients, type PoolClient, types } from 'pg';
import { StorageError } from '@varve/storage';
import { withoutUndefined } from '@varve/text';
import { toFailure } from './errors.ts';
import type { Query, Row, Session } from './session.ts';
import type { Target } from './url.ts';

/** A connection with an open transaction. */
export interface Transaction extends Session {
  /** Returns the connection to the pool, or closes it if it is broken. */
  readonly release: (isBroken: boolean) => void;
}

/** Limits of a transaction: times after which its begin, and a statement of it, count as lost without a reply. */
export interface TransactionLimits {
  readonly beginMs: number;
  readonly limitMs: number;
}

/** The connections of a process to a database. Failures are those that `toFailure` returns. */
export interface Pool {
  /** Returns a function that runs a statement on any connection, which counts as lost without a reply in time. */
  query(limitMs: number): Query;
  begin(limits: TransactionLimits): Promise<Transaction>;
  /** Closes the connections when their work has ended. */
  end(): Promise<void>;
}

/** Time after which the database ends the transaction of a process that was stopped in it, and a wait for its locks. */
const stalledMs = 10_000;

// Poolers refuse connections with such parameters.
const beginText = [
  'BEGIN ISOLATION LEVEL READ COMMITTED',
  `SET LOCAL lock_timeout = ${stalledMs}`,
  `SET LOCAL idle_in_transaction_session_timeout = ${stalledMs}`,
].join('; ');

/** Time without traffic after which the system checks a connection, for ten seconds. */
const keepAliveMs = 5_000;

/** Opens connections as they are needed. */
export function openPool(target: Target): Pool {
  const clients = openClients(target);
  const { take, onLoss } = trusted(clients);
  return {
    query: (limitMs) => async (text, values) => {
      const client = await take();
      let isBroken = true;
      try {
        const rows = await statements(client, limitMs, onLoss)(text, values);
        isBroken = false;
        return rows;
      } finally {
        client.release(isBroken);
      }
    },
    async begin({ beginMs, limitMs }) {
      const client = await take();
      try {
        await statements(client, beginMs, onLoss)(beginText);
      } catch (error) {
        client.release(true);
        throw error;
      }
      return { query: statements(client, limitMs, onLoss), release: (isBroken) => client.release(isBroken) };
    },
    end: async () => clients.end(),
  };
}

/** Connections that are not known to be lost. */
interface Trusted {
  readonly take: () => Promise<PoolClient>;
  /** Called after a statement without a reply. */
  readonly onLoss: () => void;
}

/**
 * Takes connections from a pool. After a statement without a reply, those that are idle are not used again: an address
 * that moved, or a network that forgot them, loses all of them without a sign.
 */
function trusted(clients: Clients): Trusted {
  let losses = 0;
  const lossesAt = new WeakMap<PoolClient, number>();
  clients.on('connect', (client) => void lossesAt.set(client, losses));
  const take = async (): Promise<PoolClient> => {
    for (;;) {
      const client = await clients.connect().catch((error: unknown) => {
        throw toFailure(error);
      });
      if (lossesAt.get(client) === losses) return client;
      // A farewell would wait for the other side.
      (client as PoolClient & { readonly connection: Connection }).connection.stream.destroy();
      client.release(true);
    }
  };
  return { take, onLoss: () => void (losses += 1) };
}

/** Returns a function that runs statements on a connection. */
function statements(client: PoolClient, limitMs: number, onLoss: () => void): Query {
  return async (text, values) => {
    try {
      const prepared = values && { values: [...values], name: nameOf(text) };
      const statement = { text, ...prepared, query_timeout: limitMs };
      const { rows }: { readonly rows: readonly Row[] } = await client.query(statement);
      return rows;
    } catch (error) {
      if (isLoss(error)) onLoss();
      throw toFailure(error);
    }
  };
}

/** Returns true for the error of `pg` about a statement without a reply. */
function isLoss(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

function openClients({ host, port, user, password, database, tls, ...target }: Target): Clients {
  const clients = new Clients({
    ...withoutUndefined({ host, port, user, password, database }),
    ssl: tls,
    application_name: target.applicationName,
    connectionTimeoutMillis: target.connectMs,
    max: target.poolSize,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    types: { getTypeParser: (oid, format) => (oid === int8 ? parseInt8 : types.getTypeParser(oid, format)) },
  });
  // The pool removes an idle connection that fails; the next statement uses another one, and fails if it cannot.
  clients.on('error', () => {});
  // One that fails between two statements of a transaction fails the next one; without a listener it ends the process.
  clients.on('connect', (client) => client.on('error', () => {}));
  return clients;
}

const int8 = types.builtins.INT8;

/** Parses a 64-bit integer. varve stores none that JavaScript cannot represent. */
function parseInt8(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new StorageError('corrupt', `The database contains the number ${text}, which is out of range.`);
}

/** Statements with parameters are prepared once per connection, under these names. Their number is limited. */
const names = new Map<string, string>();

function nameOf(text: string): string {
  const name = names.get(text) ?? `varve_${names.size}`;
  names.set(text, name);
  return name;
}
